import type { RunRecord } from '../../../ports.ts'
import { type CliError, unusable } from '../terminal/cli-error.ts'
import { commandOn } from '../setup/command-table.ts'
import { driveAfterward, storedOnly } from './run-commands.ts'
import { type CommandResult, isDriven, programOf } from '../runs/run-report.ts'
import type { Session } from '../setup/session.ts'

/** The two ways to send a message to a run. */
export type SayCommand = 'steer' | 'follow-up'

/**
 * `steer | follow-up <id> <text>`: stores a message for a run. Drives a stopped run. If another process drives the run,
 * that process delivers the message; a waiting run receives it when it continues.
 */
export async function sayToRun(
  session: Session,
  command: SayCommand,
  runId: string,
  text: string,
): Promise<CommandResult> {
  const { options, store } = session
  const record = await store.record(runId)
  const isStopped = record.status === 'running' && (await isDriven(store, record)) !== true
  const agent = options.drive && isStopped ? await session.agentOf(runId) : session.storingAgent()
  const run = await agent.load(runId)
  const { answer } = await (command === 'steer' ? run.steer(text) : run.followUp(text))
  if (answer !== 'applied') throw await ended(session, record)
  if (isStopped) return await driveAfterward(session, agent, run, 'message stored')
  const whatFollows =
    record.status === 'waiting' ? 'the run reads it when it continues' : 'the process that drives the run delivers it'
  return await storedOnly(session, runId, `message stored; ${whatFollows}`)
}

async function ended({ options, homeOf }: Session, record: RunRecord): Promise<CliError> {
  const isOwn = (await homeOf(record.id)) !== undefined
  const wayOn = isOwn ? `${commandOn(['prompt', record.id], options)} "<text>"` : programOf(record)
  const another = 'Start another with: statewright run "<prompt>"'
  const message = `Run ${record.id} has ended and accepts no more messages.`
  return unusable('run_done', message, `Continue it in a new run: ${wayOn}`, another)
}
