// A host that is none: it loads a plugin, calls its handlers as told and writes down what came of it.
//
//   node play.mjs KIND PLUGIN < PLAY
//
// PLAY is {"steps": [{"call": NAME, "with": [ARGUMENTS]}, …], and how the host behaves}. A step may also `wait` some
// milliseconds. Standard output is a JSON list, one object per step: `args` as the handler left them, `gave`, `error`
// and how long it took, `ms`.

import { pathToFileURL } from "node:url"

const [kind, path] = process.argv.slice(2)
let said = ""
for await (const part of process.stdin) said += part
const play = JSON.parse(said)
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// `parents`: session → session that started it; `answers`: how the host takes a question about a session
async function ask(session) {
  if (play.answers === "throws") throw new Error("the host is not well")
  if (play.answers === "hangs") await new Promise(() => {})
  if (play.answers === "nothing") return undefined
  return { id: session, parentID: (play.parents ?? {})[session] }
}

const hosts = {
  async opencode(module) {
    const client = { session: { get: async ({ path: { id } }) => ({ data: await ask(id) }) } }
    const hooks = await module.default.server({ client, directory: play.cwd, worktree: play.cwd, project: {} })
    await module.default.setup({ options: {}, agent: {}, command: {}, plugin: {}, skill: {} }) // as version 1 does
    return hooks
  },
  async opencode2(module) {
    const hooks = {}
    const waiting = []
    let wake = () => {}
    const context = {
      location: { directory: play.cwd },
      session: { get: ({ sessionID }) => ask(sessionID), hook: async (name, handle) => void (hooks[name] = handle) },
      event: {
        async *subscribe({ signal }) {
          signal.addEventListener("abort", () => wake())
          while (!signal.aborted) {
            if (!waiting.length) await new Promise((resolve) => (wake = resolve))
            while (waiting.length) yield waiting.shift()
          }
        },
      },
    }
    const over = await module.default.setup(context)
    return { ...hooks, over, event: (event) => (waiting.push(event), wake()) }
  },
  async pi(module) {
    const hooks = {}
    const manager = { getSessionId: () => play.session, getSessionFile: () => play.file }
    const context = play.answers === "throws" ? {} : { cwd: play.cwd, mode: "tui", sessionManager: manager }
    const on = (name, handle) => void (hooks[name] = (event) => handle(event, context))
    module.default(play.answers === "refuses" ? { on: () => { throw new Error("no such event") } } : { on })
    return hooks
  },
  async amp(module) {
    const hooks = {}
    module.default({
      system: { workspaceRoot: play.cwd && new URL(`file://${encodeURI(play.cwd)}`) },
      on: (name, handle) => void (hooks[name] = (event) => handle(event, { thread: event?.thread })),
      onDispose: (handle) => void (hooks.dispose = handle),
    })
    return hooks
  },
}

process.on("unhandledRejection", (error) => {
  console.error("unhandled", error)
  process.exit(3)
})
const hooks = await hosts[kind](await import(pathToFileURL(path)))
const seen = []
for (const { call, with: args = [], wait = 0 } of play.steps) {
  const began = performance.now()
  const row = { call, args }
  try {
    row.known = call in hooks
    if (row.known) row.gave = await hooks[call](...args)
  } catch (error) {
    row.error = String(error)
  }
  row.ms = Math.round(performance.now() - began)
  seen.push(row)
  if (wait) await pause(wait)
}
console.log(JSON.stringify(seen))
