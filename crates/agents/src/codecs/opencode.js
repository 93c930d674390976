// Written by `tollgate install`, and removed by `tollgate uninstall`. It asks tollgate-hook about every call of a tool.
import { spawnSync } from "node:child_process"

const refuse = (why) => {
  throw new Error(`Tollgate refused this call: ${why}.`)
}

const tell = (news) => {
  try {
    const options = { input: JSON.stringify(news), encoding: "utf8", timeout: LIMIT, windowsHide: true }
    return JSON.parse(spawnSync(PROGRAM, [...ARGUMENTS, "--news"], options).stdout)
  } catch {
    return {}
  }
}

export const Tollgate = async ({ directory }) => ({
  "tool.execute.before": async (call, change) => {
    const question = {
      hook_event_name: "tool.execute.before",
      session_id: call.sessionID,
      cwd: directory,
      tool_name: call.tool,
      tool_input: change.args ?? {},
      tool_use_id: call.callID,
    }
    const asked = spawnSync(PROGRAM, ARGUMENTS, {
      input: JSON.stringify(question),
      encoding: "utf8",
      timeout: LIMIT,
      windowsHide: true,
    })
    if (asked.error || asked.status !== 0) refuse(`its hook failed (${asked.error?.message ?? asked.signal ?? asked.status})`)
    let answer
    try {
      answer = JSON.parse(asked.stdout)
    } catch {
      refuse("its hook gave no answer")
    }
    if (answer?.decision === "deny") throw new Error(answer.reason)
    if (answer?.decision !== "pass") refuse("its hook gave no answer")
  },
  // What follows only tells: whatever goes wrong there changes nothing.
  "tool.execute.after": async (call, result) => {
    const answer = tell({
      hook_event_name: "tool.execute.after",
      session_id: call.sessionID,
      cwd: directory,
      tool_name: call.tool,
      tool_input: call.args ?? {},
      tool_use_id: call.callID,
      tool_response: { output: result?.output ?? "", metadata: { exit: result?.metadata?.exit ?? null } },
    })
    if (typeof answer?.output === "string") result.output = answer.output
  },
  event: async ({ event }) => {
    const session = event?.properties?.info
    if (event?.type !== "session.created" || session?.parentID) return
    tell({ hook_event_name: "session.created", session_id: session.id, cwd: directory })
  },
})
