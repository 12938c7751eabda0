import type { Agent, Decision, DecisionReceipt, Run } from '../../../index.ts'
import { decisionScopes, type RunStatus } from '../../../ports.ts'
import { answerCommands, commandOn, resumeCommand } from '../setup/command-table.ts'
import { CliError, exitCodes, knownWord, misuse, unusable } from '../terminal/cli-error.ts'
import { describeCall } from '../runs/describe-call.ts'
import { driveRun } from '../runs/drive-run.ts'
import { askWhileOpen, withdrawing } from '../runs/open-question.ts'
import type { Options } from '../setup/options.ts'
import { askYesOrNo } from '../runs/read-answer.ts'
import { readJson, readValue } from '../runs/read-value.ts'
import { driveAfterward, printReceipt } from './run-commands.ts'
import { type CommandResult, concludeRun } from '../runs/run-report.ts'
import { lastEventOf } from '../runs/shown-events.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import { suspendedCalls, type SuspendedCall, takesAlways } from '../setup/suspended-calls.ts'
import { nameOfUser } from '../setup/user-name.ts'

/** The three ways to answer a suspended call. */
export type DecideCommand = 'approve' | 'deny' | 'respond'

/** `approve | deny | respond <id> [call]`: stores a decision, then drives the run. */
export async function decide(
  session: Session,
  command: DecideCommand,
  runId: string,
  given: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const { options, store } = session
  const { status } = await store.record(runId)
  const open = await suspendedCalls(session, runId)
  if (command === 'approve' && given['call'] === undefined && open.length > 1 && session.isInteractive && options.drive)
    return await driveShared(session, runId, await lastEventOf(await session.storingAgent().load(runId)))
  const target = given['call'] ?? onlyCall(runId, status, open, options).callId
  const call = open.find(({ callId, suspensionId, toolCallId }) => [callId, suspensionId, toolCallId].includes(target))
  if (command === 'approve' && call?.mayHaveRun === true && !options.retry) throw mayHaveRun(runId, call, options)
  // Asking a model again has no effect that a person must check first.
  const needsNoLook = call?.reason === 'model_unavailable'
  if (command === 'approve' && given['call'] === undefined && call !== undefined && !needsNoLook) {
    const last = await lastEventOf(await session.storingAgent().load(runId))
    const approved = await askOnTerminal(session, runId, call)
    if (approved === 'elsewhere' && options.drive) return await driveShared(session, runId, last)
    if (approved !== 'yes') return await concludeRun(session, runId)
  }
  const asked = given['call'] === undefined ? (call?.suspensionId ?? target) : target
  const decision = decisionFor(command, asked, call, given['value'], options)
  const agent = options.drive ? await session.agentOf(runId) : session.storingAgent()
  const run = await agent.load(runId)
  const mayTrust = call === undefined || takesAlways(call)
  const receipt = await accepted(run, decision, mayTrust ? [trusting] : [], options)
  return await driveOn(session, agent, run, receipt)
}

/** Shows a call that was not named before its approval; without a terminal, the call must be named. */
async function askOnTerminal(
  session: Session,
  runId: string,
  call: SuspendedCall,
): Promise<'yes' | 'no' | 'elsewhere'> {
  const { options, io, person } = session
  const { preview: _, ...others } = call
  const { input } = options
  const shown = input === undefined ? call : { ...others, arguments: readJson(input, '--input') }
  const answers = answerCommands(runId, call, options)
  if (!session.isInteractive) {
    const message = `What is approved has to be named where nobody can be asked: ${oneLine(call.toolName)} is suspended.`
    const show = `See what it would do: ${answers.full}`
    throw misuse('call_not_named', message, show, `Approve it: ${answers.approve}`)
  }
  const described = (full: boolean) => describeCall(shown, answers, { ...session, options: { ...options, full } })
  session.print(described(options.full))
  const given = await askWhileOpen(session, runId, call, (withdrawn) =>
    askYesOrNo(shown, withdrawing(person, withdrawn), io, () => described(true)),
  )
  if ('answer' in given && given.answer === true) return 'yes'
  session.print('elsewhere' in given ? given.elsewhere : 'Nothing was decided.')
  return 'elsewhere' in given ? 'elsewhere' : 'no'
}

/** Shows a run after somebody else has answered it, and drives the run if nobody else does. */
async function driveShared(session: Session, runId: string, last: number): Promise<CommandResult> {
  const agent = await session.agentOf(runId)
  return await driveRun(session, agent, await agent.load(runId), last)
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
        ? `It is running; where its process has ended, drive it on: ${resumeCommand(runId, options)}`
        : `See how it stands: ${commandOn(['show', runId], options)}`
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
    `Run it again, if twice does no harm:  ${approve}`,
    `It has run, take this as its result:  ${respond}`,
    `Give it up:                           ${deny}`,
  )
}

function decisionFor(
  command: DecideCommand,
  target: string,
  call: SuspendedCall | undefined,
  value: string | undefined,
  { reason, input, scope }: Options,
): Decision {
  const reach = scope === undefined ? {} : { scope: knownWord('scope', scope, decisionScopes) }
  const common = { target, ...(reason === undefined ? {} : { reason }), ...reach, ...nameOfUser() }
  switch (command) {
    case 'approve':
      return { ...common, action: 'resume', ...(input === undefined ? {} : { input: readJson(input, '--input') }) }
    case 'deny':
      return { ...common, action: 'cancel' }
    case 'respond':
      return { ...common, action: 'resume', mode: 'use-as-result', result: readValue(value ?? '', call) }
  }
}

/** Explains why an answer with scope `always` was refused, and when it is accepted. */
export const trusting =
  "What is granted for always lies in the store of the folder, which may be somebody else's: it counts for runs that are started with --trust."

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
  const message = receipt?.message ?? `The decision was not taken (${answer}).`
  const exitCode = answer === 'refused' ? exitCodes.misuse : exitCodes.unusable
  const hints = decision.scope === 'always' && answer === 'refused' ? always : []
  throw new CliError(exitCode, answer, message, [
    ...hints,
    `See how the run stands: ${commandOn(['show', run.id], options)}`,
  ])
}
