// Written by `improve install`; take it away with: improve uninstall
//
// pi runs no commands on its events, so this hands them to `improve`, and the rules it answers with to the model.
// An error while this file is loaded would keep pi from starting, one in a handler would disturb the turn: nothing in
// here throws, and nothing takes longer than LIMIT. https://github.com/badlogic/pi-mono/tree/main/packages/coding-agent/docs

const HOST = "pi"
// @launch.js

/** Files named on the command line stand in front of what was typed. */
const typedText = (text) => text.replace(/^(?:<file name="[^"\n]*">[^]*?<\/file>\s*)+/, "")

export default function (pi) {
  const rules = new Map() // session → promise of what the model is told
  const failed = new Set() // sessions whose rules could not be had: asked for again with the next prompt
  const running = new Set() // events on their way
  const warned = new Map() // call → what its result is to say besides

  const about = (context) => ({
    session_id: context.sessionManager.getSessionId(),
    cwd: context.cwd,
    transcript_path: context.sessionManager.getSessionFile() ?? "",
  })

  const send = (event, told) => {
    const sent = call(event, told)
    running.add(sent)
    sent.then(() => running.delete(sent))
    return sent
  }

  const start = (told) => {
    const session = told.session_id
    failed.delete(session)
    const answer = send("session-start", told).then((text) => {
      if (text === undefined) failed.add(session)
      return text ?? ""
    })
    rules.set(session, answer)
    return answer
  }

  const on = (event, handle) =>
    pi.on(event, async (given, context) => {
      try {
        return await handle(given, context)
      } catch {}
    })

  try {
    on("input", ({ text, source }, context) => {
      const told = about(context)
      if (!rules.has(told.session_id) || failed.has(told.session_id)) start(told) // is there when the model is called
      if (source === "extension") return
      const prompt = typedText(text)
      if (prompt.trim()) send("prompt", { ...told, prompt })
    })
    on("before_agent_start", async (given, context) => {
      const told = about(context)
      const text = await (rules.get(told.session_id) ?? start(told))
      if (text) given.systemPromptOptions.sections = { ...given.systemPromptOptions.sections, improve_rules: text }
    })
    on("session_compact", (_, context) => void start({ ...about(context), source: "compact" }))
    on("agent_end", (_, context) => void send("stop", about(context)))
    on("tool_call", async ({ toolName, toolCallId, input }, context) => {
      const { deny, warn } = await verdict(() => ({ ...about(context), tool_name: toolName, tool_input: input }))
      if (deny) return { block: true, reason: deny }
      if (warn && toolCallId) warned.set(toolCallId, warn)
    })
    on("tool_result", ({ toolCallId, content }) => {
      const warn = warned.get(toolCallId)
      if (warn && warned.delete(toolCallId) && Array.isArray(content)) return { content: [...content, { type: "text", text: warn }] }
    })
    on("session_shutdown", async (_, context) => {
      const told = about(context)
      const answers = await Promise.all(running)
      if (answers.includes(undefined)) return // it does not answer
      if (rules.delete(told.session_id)) await call("session-end", told)
    })
  } catch {}
}
