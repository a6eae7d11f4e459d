"""How models are asked and how they answer: four protocols, each streamed and whole.

https://docs.anthropic.com/en/api/messages, https://platform.openai.com/docs/api-reference/responses,
https://platform.openai.com/docs/api-reference/chat, https://ai.google.dev/api/generate-content.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

Body = dict[str, Any]
Event = tuple[str, Any]
"""Name of a server-sent event (empty for none) and its data."""


class Reply(NamedTuple):
    """What the model says to one request: a text, or one call of a tool."""

    number: int
    model: str
    text: str = ""
    tool: str = ""
    arguments: Body = {}  # noqa: RUF012 - never changed
    free: str = ""
    """What a tool gets that takes a text of its own grammar in place of arguments."""

    @property
    def id(self) -> str:
        """A name for this reply."""
        return f"reply_{self.number}"


class Messages:
    """Anthropic Messages."""

    name = "anthropic-messages"

    def block(self, reply: Reply) -> Body:
        """Give the one content block of an answer."""
        if reply.tool:
            return {"type": "tool_use", "id": f"toolu_{reply.number}", "name": reply.tool, "input": reply.arguments}
        return {"type": "text", "text": reply.text}

    def whole(self, reply: Reply) -> Body:
        """Answer in one piece."""
        return {
            "id": reply.id,
            "type": "message",
            "role": "assistant",
            "model": reply.model,
            "content": [self.block(reply)],
            "stop_reason": "tool_use" if reply.tool else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 9, "output_tokens": 9},
        }

    def stream(self, reply: Reply) -> Iterator[Event]:
        """Answer as events."""
        block, whole = self.block(reply), self.whole(reply)
        empty: Body
        piece: Body
        if reply.tool:
            empty, piece = {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            empty, piece = {"text": ""}, {"type": "text_delta", "text": reply.text}
        stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        for data in (
            {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": {**block, **empty}},
            {"type": "content_block_delta", "index": 0, "delta": piece},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": whole["usage"]},
            {"type": "message_stop"},
        ):
            yield str(data["type"]), data


class Responses:
    """OpenAI Responses."""

    name = "openai-responses"

    def item(self, reply: Reply) -> Body:
        """Give the one output item of an answer."""
        if reply.free:
            call = {"type": "custom_tool_call", "id": f"ctc_{reply.number}", "call_id": f"call_{reply.number}"}
            return {**call, "name": reply.tool, "input": reply.free, "status": "completed"}
        if reply.tool:
            call = {"type": "function_call", "id": f"fc_{reply.number}", "call_id": f"call_{reply.number}"}
            return {**call, "name": reply.tool, "arguments": json.dumps(reply.arguments), "status": "completed"}
        part = {"type": "output_text", "text": reply.text, "annotations": []}
        return {"type": "message", "id": reply.id, "role": "assistant", "content": [part], "status": "completed"}

    def whole(self, reply: Reply) -> Body:
        """Answer in one piece."""
        usage = {"input_tokens": 9, "output_tokens": 9, "total_tokens": 18}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        return {
            "id": f"resp_{reply.number}",
            "object": "response",
            "status": "completed",
            "model": reply.model,
            "output": [self.item(reply)],
            "usage": {**usage, **details},
        }

    def stream(self, reply: Reply) -> Iterator[Event]:
        """Answer as events."""
        item, whole = self.item(reply), self.whole(reply)
        started = {**whole, "status": "in_progress", "output": [], "usage": None}
        empty: Body = {"input": ""} if reply.free else {"arguments": ""} if reply.tool else {"content": []}
        events: list[Body] = [
            {"type": "response.created", "response": started},
            {"type": "response.output_item.added", "output_index": 0, "item": {**item, **empty}},
        ]
        if not reply.tool:
            place = {"output_index": 0, "content_index": 0, "item_id": item["id"]}
            events.append({"type": "response.output_text.delta", **place, "delta": reply.text})
        events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
        events.append({"type": "response.completed", "response": whole})
        yield from ((data["type"], data) for data in events)


class Chat:
    """OpenAI Chat Completions."""

    name = "openai-chat"

    def whole(self, reply: Reply) -> Body:
        """Answer in one piece."""
        return {
            **self._head(reply, "chat.completion"),
            "choices": [{"index": 0, "message": self._message(reply), "finish_reason": self._end(reply)}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
        }

    def stream(self, reply: Reply) -> Iterator[Event]:
        """Answer as events."""
        head, whole = self._head(reply, "chat.completion.chunk"), self.whole(reply)
        for delta, end in ((self._message(reply), None), ({}, self._end(reply))):
            yield "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        yield "", {**head, "choices": [], "usage": whole["usage"]}
        yield "", "[DONE]"

    def _head(self, reply: Reply, kind: str) -> Body:
        return {"id": reply.id, "object": kind, "created": 1_700_000_000, "model": reply.model}

    def _end(self, reply: Reply) -> str:
        return "tool_calls" if reply.tool else "stop"

    def _message(self, reply: Reply) -> Body:
        if not reply.tool:
            return {"role": "assistant", "content": reply.text}
        call = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
        calls = [{"index": 0, "id": f"call_{reply.number}", "type": "function", "function": call}]
        return {"role": "assistant", "content": None, "tool_calls": calls}


class Generate:
    """Gemini generateContent."""

    name = "gemini-generate"

    def whole(self, reply: Reply) -> Body:
        """Answer in one piece."""
        call = {"functionCall": {"id": f"call_{reply.number}", "name": reply.tool, "args": reply.arguments}}
        part = call if reply.tool else {"text": reply.text}
        return {
            "responseId": reply.id,
            "modelVersion": reply.model,
            "candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}}],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 9, "totalTokenCount": 18},
        }

    def stream(self, reply: Reply) -> Iterator[Event]:
        """Answer as one event."""
        yield "", self.whole(reply)


Dialect = Messages | Responses | Chat | Generate

_BY_ENDING: tuple[tuple[str, Dialect], ...] = (
    ("/messages", Messages()),
    ("/responses", Responses()),
    ("/chat/completions", Chat()),
    (":generateContent", Generate()),
    (":streamGenerateContent", Generate()),
)


def dialect_of(path: str) -> Dialect | None:
    """Tell the protocol by the path of a request; None when it asks for no answer of a model."""
    plain = path.partition("?")[0]
    return next((dialect for ending, dialect in _BY_ENDING if plain.endswith(ending)), None)


def streams(path: str, body: Body) -> bool:
    """Tell whether the answer is wanted as events."""
    return ":streamGenerateContent" in path or bool(body.get("stream"))


def tools_offered(body: object) -> set[str]:
    """Name the tools a request offers, however deep its protocol lists them."""
    if isinstance(body, list):
        return set().union(*map(tools_offered, body)) if body else set()
    if not isinstance(body, dict):
        return set()
    listed = [*_list(body, "tools"), *_list(body, "functionDeclarations")]
    named = [tool.get("function", tool).get("name") for tool in listed if isinstance(tool, dict)]
    deeper = [*listed, *_list(body, "input")]
    return {name for name in named if isinstance(name, str)} | tools_offered(deeper)


def _list(body: Body, key: str) -> list[Any]:
    value = body.get(key)
    return value if isinstance(value, list) else []
