// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now
// Written by `improve install`; take it away with: improve uninstall
//
// Amp runs no commands on its events, so this hands them to `improve`, and the rules it answers with to the model.
// Nothing in here throws, and nothing takes longer than LIMIT. https://ampcode.com/manual/plugin-api

import { spawn } from "node:child_process"

const LAUNCHER = "@LAUNCHER@"
const LIMIT = 2000 // milliseconds for one event
const LONGEST = 1 << 16 // characters of an answer; more is none of ours
const STAMP = "improve-rules v" // how an answer begins

/** Runs the launcher with one event; gives what it says, "" for nothing, undefined when it failed. Never rejects. */
function call(event, told) {
  return new Promise((resolve) => {
    try {
      const own = process.platform !== "win32" // a group of its own, so that all of it can be ended
      const child = spawn(LAUNCHER, ["amp", event], { stdio: ["pipe", "pipe", "ignore"], detached: own, windowsHide: true })
      let said = ""
      const finish = (answer) => {
        clearTimeout(timer)
        resolve(answer)
      }
      const end = () => {
        try {
          if (own && child.pid) process.kill(-child.pid, "SIGKILL")
          else child.kill("SIGKILL")
        } catch {}
        child.stdout?.destroy()
        finish(undefined)
      }
      const timer = setTimeout(end, LIMIT)
      child.on("error", () => finish(undefined))
      child.stdin.on("error", () => {})
      child.stdout.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (part) => {
        said += part
        if (said.length > LONGEST) end()
      })
      child.on("close", () => finish(said.startsWith(STAMP) ? said.trimEnd() : ""))
      child.stdin.end(JSON.stringify(told))
    } catch {
      resolve(undefined)
    }
  })
}

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
  // "tool.call": the event `pre-tool` goes here
  try {
    amp.onDispose?.(async () => {
      await Promise.all(running)
    })
  } catch {}
}
