// Written by `improve install`; take it away with: improve uninstall
//
// pi runs no commands on its events, so this hands them to `improve`, and the rules it answers with to the model.
// An error while this file is loaded would keep pi from starting, one in a handler would disturb the turn: nothing in
// here throws, and nothing takes longer than LIMIT. https://github.com/badlogic/pi-mono/tree/main/packages/coding-agent/docs

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
      const child = spawn(LAUNCHER, ["pi", event], { stdio: ["pipe", "pipe", "ignore"], detached: own, windowsHide: true })
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

/** Files named on the command line stand in front of what was typed. */
const typedText = (text) => text.replace(/^(?:<file name="[^"\n]*">[^]*?<\/file>\s*)+/, "")

export default function (pi) {
  const rules = new Map() // session → promise of what the model is told
  const failed = new Set() // sessions whose rules could not be had: asked for again with the next prompt
  const running = new Set() // events on their way

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
        await handle(given, context)
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
    // "tool_call": the event `pre-tool` goes here
    on("session_shutdown", async (_, context) => {
      const told = about(context)
      const answers = await Promise.all(running)
      if (answers.includes(undefined)) return // it does not answer
      if (rules.delete(told.session_id)) await call("session-end", told)
    })
  } catch {}
}
