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
      const child = spawn(LAUNCHER, [HOST, event], { stdio: ["pipe", "pipe", "ignore"], detached: own, windowsHide: true })
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
