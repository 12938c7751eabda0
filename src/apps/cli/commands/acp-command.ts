import { UsageError } from '../../../index.ts'
import { serveAcp } from '../../../servers/acp.ts'
import { type CliError, exitCodes, misuse, unusable } from '../terminal/cli-error.ts'
import type { CommandResult } from '../runs/run-report.ts'
import type { Session } from '../setup/session.ts'

/** `acp --agents <module>`: serves an agent to an editor over standard input and output, until the editor leaves. */
export async function serveEditor(session: Session): Promise<CommandResult> {
  const { io, options } = session
  const { agent } = await session.agentForTalk(undefined)
  const { programs } = options
  const served = await serveAcp((editor) => session.agentForEditor(editor), { programs }).catch((error: unknown) => {
    const isMissing = error instanceof UsageError && error.code === 'package_missing'
    throw isMissing ? unusable('package_missing', error.message) : error
  })
  const leave = () => void served.close()
  io.signal.addEventListener('abort', leave, { once: true })
  if (io.signal.aborted) leave()
  await served.closed
  await agent.close()
  return { exitCode: exitCodes.success, report: { agent: agent.name } }
}

/** Returns the error of a command without agents. */
export function noAgentToServe(): CliError {
  return misuse('no_agents', 'An editor needs an agent.', 'Name the module that exports it: --agents <file>')
}

/** Sends the console's output of agents to standard error, because standard output holds the protocol. */
export function keepOutput(): void {
  for (const name of ['log', 'info', 'debug'] as const) console[name] = console.error.bind(console)
}
