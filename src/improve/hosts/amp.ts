// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now
// Written by `improve install`; take it away with: improve uninstall
//
// Amp runs no commands on its events, so this hands them to `improve`, and the rules it answers with to the model.
// Nothing in here throws, and nothing takes longer than LIMIT. https://ampcode.com/manual/plugin-api

const HOST = "amp"
// @launch.js

/** A directory as Amp gives it: a URI or a path. */
function folder(root) {
  const named = String(root ?? "")
  return named.startsWith("file:") ? decodeURIComponent(new URL(named).pathname) : named || process.cwd()
}

export default function (amp) {
  const started = new Set() // threads whose rules were asked for
  const running = new Set() // events on their way

  const about = (event, context) => ({
    session_id: String(event?.thread?.id ?? context?.thread?.id ?? ""),
    cwd: folder(amp.system?.workspaceRoot),
  })

  const send = (event, told) => {
    const sent = call(event, told)
    running.add(sent)
    sent.then(() => running.delete(sent))
    return sent
  }

  const on = (event, handle) => {
    try {
      amp.on(event, async (given, context) => {
        try {
          return await handle(given, context)
        } catch {}
      })
    } catch {}
  }

  on("agent.start", async (event, context) => {
    const told = about(event, context)
    if (!told.session_id) return
    const prompt = typeof event.message === "string" ? event.message : ""
    if (prompt.trim()) send("prompt", { ...told, prompt, ...(event.id ? { prompt_id: String(event.id) } : {}) })
    if (started.has(told.session_id)) return
    started.add(told.session_id)
    // a thread keeps what it was given, so one that is taken up again is told only what is new
    const text = await send("session-start", { ...told, source: "resume" })
    if (text === undefined) started.delete(told.session_id)
    if (text) return { message: { content: text, display: false } }
  })
  on("agent.end", (event, context) => {
    const told = about(event, context)
    if (told.session_id) void send("stop", told)
  })
  on("tool.call", async (event, context) => {
    const told = () => ({ ...about(event, context), tool_name: event.tool, tool_input: event.input })
    const { deny } = await verdict(told)
    return deny ? { action: "reject-and-continue", message: deny } : { action: "allow" }
  })
  try {
    amp.onDispose?.(async () => {
      await Promise.all(running)
    })
  } catch {}
}
