import { spawn } from "node:child_process"
import { readFileSync, statSync } from "node:fs"

const LAUNCHER = "@LAUNCHER@"
const LIMIT = 2000 // milliseconds for one event
const LONGEST = 1 << 16 // characters of an answer; more is none of ours
const STAMP = "improve-rules v" // how an answer begins

/** Gives the rules the launcher answers an event with, "" for none, undefined when it failed. Never rejects. */
async function call(event, told) {
  const said = await run(event, told)
  return said === undefined || said.startsWith(STAMP) ? said?.trimEnd() : ""
}

let looked = "" // how rules.yaml looked when it was read
let guarded = false

/** Says whether a rule may have a guard: cheap, for every call of a tool waits for it. */
function guards() {
  try {
    const named = process.env.AGENT_IMPROVEMENT_HOME ?? ""
    const store = named.startsWith("/") ? named : LAUNCHER.replace(/[\\/][^\\/]*[\\/][^\\/]*$/, "")
    const rules = `${store}/rules.yaml`
    const { ino, size, mtimeMs } = statSync(rules)
    if (looked !== `${ino} ${size} ${mtimeMs}`) {
      guarded = size > LONGEST << 10 || /\bguard["']?\s*:/.test(readFileSync(rules, "utf8"))
      looked = `${ino} ${size} ${mtimeMs}`
    }
    return guarded
  } catch {
    return false
  }
}

/** Asks the guards about a call of a tool: gives `deny` or `warn` with the text for the model. Never rejects. */
async function verdict(told) {
  try {
    const said = guards() ? JSON.parse((await run("pre-tool", await told())) || "{}") : {}
    const text = (value) => (typeof value === "string" && value.startsWith(STAMP) ? value : "")
    return { deny: text(said?.deny), warn: text(said?.warn) }
  } catch {
    return { deny: "", warn: "" }
  }
}

/** Runs the launcher with one event; gives what it prints, undefined when it failed. Never rejects. */
function run(event, told) {
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
      child.on("close", () => finish(said))
      child.stdin.end(JSON.stringify(told))
    } catch {
      resolve(undefined)
    }
  })
}
