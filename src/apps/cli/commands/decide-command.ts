import type { Agent, Decision, DecisionReceipt, Run } from '../../../index.ts'
import { decisionScopes, type RunStatus } from '../../../ports.ts'
import { answerCommands, commandOn, resumeCommand } from '../setup/command-table.ts'
import { CliError, exitCodes, knownWord, misuse, unusable } from '../terminal/cli-error.ts'
import type { Given } from '../runs/ask-call.ts'
import { askCalls, trusting } from '../runs/ask-calls.ts'
import { driveRun } from '../runs/drive-run.ts'
import type { Options } from '../setup/options.ts'
import { readJson, readValue } from '../runs/read-value.ts'
import { driveAfterward, printReceipt } from './run-commands.ts'
import { type CommandResult, concludeRun } from '../runs/run-report.ts'
import { lastEventOf } from '../runs/shown-events.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import { suspendedCalls, type SuspendedCall, takesAlways } from '../setup/suspended-calls.ts'
import { nameOfUser } from '../setup/user-name.ts'

/** The three commands that answer a suspended call. */
export type DecideCommand = 'approve' | 'deny' | 'respond'

/** `approve | deny | respond <id> [call]`: stores a decision, then drives the run. */
export async function decide(
  session: Session,
  command: DecideCommand,
  runId: string,
  given: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const { options, store, isInteractive } = session
  const { status } = await store.record(runId)
  const open = await suspendedCalls(session, runId)
  const isUnnamed = command === 'approve' && given['call'] === undefined
  if (isUnnamed && isInteractive && open.length > 1 && !isEdited(options)) return await askHere(session, runId)
  const target = given['call'] ?? onlyCall(runId, status, open, options).callId
  const call = open.find(({ callId, suspensionId, toolCallId }) => [callId, suspensionId, toolCallId].includes(target))
  // Asking a model again has no effect that a person must check first.
  const asks = isUnnamed && call !== undefined && call.reason !== 'model_unavailable'
  if (asks && isInteractive) return await askHere(session, runId)
  if (command === 'approve' && call?.mayHaveRun === true && !options.retry) throw mayHaveRun(runId, call, options)
  if (asks) throw notNamed(runId, call, options)
  const asked = given['call'] === undefined ? (call?.suspensionId ?? target) : target
  const decision = decisionFor(command, asked, call, given['value'], options)
  const agent = options.drive ? await session.agentOf(runId) : session.storingAgent()
  const run = await agent.load(runId)
  const mayTrust = call === undefined || takesAlways(call)
  const receipt = await accepted(run, decision, mayTrust ? [trusting] : [], options)
  return await driveOn(session, agent, run, receipt)
}

/** Asks about the suspended calls of a run at the terminal, and drives the run. */
async function askHere(session: Session, runId: string): Promise<CommandResult> {
  const { options, person } = session
  const agent = options.drive ? await session.agentOf(runId) : session.storingAgent()
  const run = await agent.load(runId)
  const last = await lastEventOf(run)
  const isAnswered = await askCalls(session, person, run, givenBy(options))
  if (!isAnswered) return await concludeRun(session, runId)
  if (!options.drive) return await driveAfterward(session, agent, run, 'decision stored')
  return await driveRun(session, agent, await agent.load(runId), last)
}

function givenBy({ input, reason, scope }: Options): Given {
  return {
    ...(input === undefined ? {} : { input: readJson(input, '--input') }),
    ...(reason === undefined ? {} : { reason }),
    ...(scope === undefined ? {} : { scope: knownWord('scope', scope, decisionScopes) }),
  }
}

/** Returns true if options say how one call is answered. */
function isEdited({ input, reason, scope }: Options): boolean {
  return input !== undefined || reason !== undefined || scope !== undefined
}

function notNamed(runId: string, call: SuspendedCall, options: Options): CliError {
  const answers = answerCommands(runId, call, options)
  const message = `Nobody can be asked here, so name the call that you approve: ${oneLine(call.toolName)} is suspended.`
  return misuse('call_not_named', message, `See what it would do: ${answers.full}`, `Approve it: ${answers.approve}`)
}

async function driveOn(session: Session, agent: Agent, run: Run, receipt: DecisionReceipt): Promise<CommandResult> {
  printReceipt(session, receipt)
  const what = receipt.answer === 'applied' ? 'decision stored' : 'nothing stored'
  const result = await driveAfterward(session, agent, run, what)
  return { exitCode: result.exitCode, report: { ...result.report, receipts: [receipt] } }
}

/** Returns the only suspended call for a command without a call. */
function onlyCall(runId: string, status: RunStatus, open: readonly SuspendedCall[], options: Options): SuspendedCall {
  const [only, ...others] = open
  if (only === undefined) {
    const hint =
      status === 'running'
        ? `It is running; if its process has ended, continue it: ${resumeCommand(runId, options)}`
        : `See its state: ${commandOn(['show', runId], options)}`
    throw unusable('nothing_suspended', `No call of run ${runId} is suspended.`, hint)
  }
  if (others.length === 0) return only
  const commands = open.map((call) => answerCommands(runId, call, options).approve)
  throw misuse('ambiguous_call', `${open.length} calls of run ${runId} are suspended. Name one:`, ...commands)
}

function mayHaveRun(runId: string, call: SuspendedCall, options: Options): CliError {
  const { approve, respond, deny } = answerCommands(runId, call, options)
  return misuse(
    'may_have_run',
    `Call ${call.callId} of ${oneLine(call.toolName)} may have run already: its process died while it ran.`,
    `Run it again, if that does no harm:    ${approve}`,
    `It has run; use this as its result:    ${respond}`,
    `Abandon it:                            ${deny}`,
  )
}

function decisionFor(
  command: DecideCommand,
  target: string,
  call: SuspendedCall | undefined,
  value: string | undefined,
  options: Options,
): Decision {
  const { input, ...given } = givenBy(options)
  const common = { target, ...given, ...nameOfUser() }
  switch (command) {
    case 'approve':
      return { ...common, action: 'resume', ...(input === undefined ? {} : { input }) }
    case 'deny':
      return { ...common, action: 'cancel' }
    case 'respond':
      return { ...common, action: 'resume', mode: 'use-as-result', result: readValue(value ?? '', call) }
  }
}

/** Returns the receipt of an accepted decision; throws an error with the reason for any other receipt. */
async function accepted(
  run: Run,
  decision: Decision,
  always: readonly string[],
  options: Options,
): Promise<DecisionReceipt> {
  const [receipt] = await run.decide([decision])
  const answer = receipt?.answer ?? 'unknown'
  if (receipt !== undefined && ['applied', 'kept', 'duplicate'].includes(answer)) return receipt
  const message = receipt?.message ?? `The decision was not stored (${answer}).`
  const exitCode = answer === 'refused' ? exitCodes.misuse : exitCodes.unusable
  const hints = decision.scope === 'always' && answer === 'refused' ? always : []
  throw new CliError(exitCode, answer, message, [
    ...hints,
    `See the state of the run: ${commandOn(['show', run.id], options)}`,
  ])
}
