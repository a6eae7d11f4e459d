-- globalStorage/state.vscdb: all chats of the editor
CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB);
INSERT INTO cursorDiskKV VALUES ('composerData:c1', CAST('{"composerId": "c1", "createdAt": 1772355600000, "fullConversationHeadersOnly": [{"bubbleId": "b1", "type": 1}, {"bubbleId": "b2", "type": 2}, {"bubbleId": "b3", "type": 1}, {"bubbleId": "gone", "type": 1}]}' AS BLOB));
INSERT INTO cursorDiskKV VALUES ('bubbleId:c1:b1', CAST('{"bubbleId": "b1", "type": 1, "text": "add a page", "createdAt": "2026-03-01T09:00:01.000Z", "workspaceUris": ["file:///home/user/app"]}' AS BLOB));
INSERT INTO cursorDiskKV VALUES ('bubbleId:c1:b2', CAST('{"bubbleId": "b2", "type": 2, "text": "I add it.", "toolFormerData": {"name": "run_terminal_cmd", "toolCallId": "t1", "rawArgs": "{\"command\": \"npm i\"}", "status": "cancelled", "userDecision": "rejected"}}' AS BLOB));
INSERT INTO cursorDiskKV VALUES ('bubbleId:c1:b3', CAST('{"bubbleId": "b3", "type": 1, "text": "no, with pnpm"}' AS BLOB));
INSERT INTO cursorDiskKV VALUES ('composerData:c2', CAST('{"composerId": "c2", "conversation": [{"bubbleId": "o1", "type": 1, "text": "an older chat"}, {"bubbleId": "o2", "type": 2, "text": "Hello."}]}' AS BLOB));
INSERT INTO cursorDiskKV VALUES ('composerData:empty', NULL);
