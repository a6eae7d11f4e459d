// Written by `improve install`; take it away with: improve uninstall
//
// OpenCode runs no commands on its events, so this hands them to `improve`, and the rules it answers with to the model.
// An error in a handler would end the turn: nothing in here throws but what a guard of the person's denies, and nothing
// takes longer than LIMIT.
// `server` serves version 1 (https://opencode.ai/docs/plugins/), `setup` version 2 (https://opencode.ai/docs/build/plugins/).

const HOST = "opencode"
const KEPT = 200 // sessions that are remembered
// @launch.js

/** Keeps the newest entries only. */
function remember(map, key, value) {
  if (map.size >= KEPT) map.delete(map.keys().next().value)
  map.set(key, value)
  return value
}

/** What both versions need to know about their sessions. `parentOf` asks the host for the parent of a session. */
function sessions(directory, parentOf) {
  const parents = new Map() // session → promise of the session that started it, "" when a person did
  const rules = new Map() // session → promise of what the model is told
  const failed = new Set() // sessions whose rules could not be had: asked for again with the next prompt
  const active = new Set() // sessions somebody typed in
  const running = new Set() // events on their way

  const send = (event, session, more) => {
    const sent = call(event, { session_id: session, cwd: directory, ...more })
    running.add(sent)
    sent.then(() => running.delete(sent))
    return sent
  }

  const askParent = async (session) => {
    let timer
    const late = new Promise((resolve) => (timer = setTimeout(resolve, LIMIT, "")))
    try {
      return (await Promise.race([parentOf(session), late])) || ""
    } catch {
      return ""
    } finally {
      clearTimeout(timer)
    }
  }
  const parent = (session) => parents.get(session) ?? remember(parents, session, askParent(session))

  /** The session a person sees: a subagent works in one of its own. */
  const top = async (session) => {
    for (let depth = 0; depth < 8; depth++) {
      const above = await parent(session)
      if (!above) break
      session = above
    }
    return session
  }

  const start = (session, more) => {
    failed.delete(session)
    const answer = send("session-start", session, more).then((text) => {
      if (text === undefined) failed.add(session)
      return text ?? ""
    })
    return remember(rules, session, answer)
  }

  return {
    top,
    started: (session, above) => void remember(parents, session, Promise.resolve(above || "")),
    rules: async (session) => {
      const seen = await top(session)
      return (await (rules.get(seen) ?? start(seen))) ?? ""
    },
    typed: async (session, text, message) => {
      if (await parent(session)) return // nobody types to a subagent
      active.delete(session)
      active.add(session)
      if (!rules.has(session) || failed.has(session)) start(session) // is there when the model is called
      if (text.trim()) send("prompt", session, { prompt: text, ...(message ? { prompt_id: message } : {}) })
    },
    compacted: (session) => void (rules.has(session) && start(session, { source: "compact" })),
    paused: async (session) => {
      if (!(await parent(session))) send("stop", session)
    },
    /** Waits for what is on its way, then says that the sessions are over; not to one who does not answer. */
    ended: async () => {
      const answers = await Promise.all(running)
      if (answers.includes(undefined)) return
      await Promise.all([...active].slice(-KEPT / 10).map((session) => call("session-end", { session_id: session, cwd: directory })))
      active.clear()
    },
  }
}

/** Makes a handler that swallows every error. */
const safe = (handle) => async (...given) => {
  try {
    return await handle(...given)
  } catch {}
}

/** What a person typed; `opencode run` puts quotes around an argument with spaces. */
function typedText(parts) {
  const texts = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored).map((part) => part.text)
  const text = texts.join("\n")
  return /^"(?:[^"\\]|\\[^])+"$/.test(text) ? text.slice(1, -1).replaceAll('\\"', '"') : text
}

let serving = false // version 1 may run `setup` as well: one of them works

async function server({ client, directory }) {
  serving = true
  const known = sessions(directory, async (session) => (await client.session.get({ path: { id: session } }))?.data?.parentID)
  const compacting = new Set() // sessions whose next model call makes a summary
  const warned = new Map() // call → what its result is to say besides

  const events = {
    "session.created": ({ info }) => known.started(info.id, info.parentID),
    "session.idle": ({ sessionID }) => known.paused(sessionID),
    "session.compacted": ({ sessionID }) => {
      compacting.delete(sessionID)
      known.compacted(sessionID)
    },
  }

  return {
    event: safe(({ event }) => events[event.type]?.(event.properties)),
    "chat.message": safe(({ sessionID }, { message, parts }) => known.typed(sessionID, typedText(parts), message?.id)),
    "experimental.session.compacting": safe(({ sessionID }) => void compacting.add(sessionID)),
    "experimental.chat.system.transform": safe(async ({ sessionID }, { system }) => {
      if (!sessionID || /^You are a title generator/.test(system[0] ?? "") || compacting.delete(sessionID)) return
      const text = await known.rules(sessionID)
      if (text && !system.some((part) => part.includes(text))) system.push(text)
    }),
    "shell.env": safe(async ({ sessionID }, { env }) => {
      if (sessionID) env.OPENCODE_SESSION_ID ??= await known.top(sessionID)
    }),
    "tool.execute.before": async (input, output) => {
      const { deny, warn } = await verdict(async () => ({
        session_id: await known.top(input.sessionID),
        cwd: directory,
        tool_name: input.tool,
        tool_input: output.args,
      }))
      if (warn && input?.callID) remember(warned, input.callID, warn)
      if (deny) throw new Error(deny) // how OpenCode is told that a call is denied, and why
    },
    "tool.execute.after": safe(({ callID }, output) => {
      const warn = warned.get(callID)
      if (warn && warned.delete(callID) && typeof output.output === "string") output.output += `\n\n${warn}`
    }),
    dispose: safe(() => known.ended()),
  }
}

async function setup(context) {
  if (serving || !context?.session?.hook) return
  const parentOf = async (session) => {
    const found = await context.session.get({ sessionID: session })
    return (found?.data ?? found)?.parentID
  }
  const known = sessions(context.location?.directory ?? process.cwd(), parentOf)
  await context.session.hook("prompt", safe((event) => known.typed(event.sessionID, event.prompt?.text ?? "", event.messageID)))
  await context.session.hook("context", safe(async (event) => {
    const text = await known.rules(event.sessionID)
    if (text && !event.system.some((part) => part.text?.includes(text))) event.system.push({ type: "text", text })
  }))
  const stop = new AbortController()
  safe(listen)(context, known, stop.signal)
  return safe(async () => {
    stop.abort()
    await known.ended()
  })
}

async function listen(context, known, signal) {
  for await (const event of context.event.subscribe({ signal })) {
    if (signal.aborted) return
    const session = event.data?.sessionID
    if (!session) continue
    if (/^session\.execution\.(succeeded|failed|interrupted)$/.test(event.type)) safe(known.paused)(session)
    if (/^session\.compaction\.(ended|succeeded)$/.test(event.type)) known.compacted(session)
  }
}

export default { id: "improve", server: async (input) => (await safe(server)(input)) ?? {}, setup: safe(setup) }
