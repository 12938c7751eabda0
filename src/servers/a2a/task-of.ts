import { type Artifact, type Message, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { toPlainJson } from '../../core/domain/text/json.ts'
import { type Json, type Run, textOf } from '../../index.ts'
import type { RunStanding, SuspendedCall } from '../../ports.ts'
import { clientIdIn } from '../chat/client-id.ts'
import { asksFor, targetOf } from '../chat/suspension-kind.ts'
import { dataPart, messageOf, partOf } from './parts.ts'

/** The state of a run for its task. A list has no messages. */
export interface TaskFacts extends Pick<
  RunStanding,
  'runId' | 'status' | 'outcome' | 'rejection' | 'suspended' | 'text' | 'output' | 'messages'
> {
  /** The session of the run. */
  readonly contextId: string
  /** Unix milliseconds of the last change, if known. */
  readonly at?: number | undefined
}

/** Reads the current state of a run. */
export async function factsOf(run: Run, at?: number): Promise<TaskFacts> {
  const standing = await run.result()
  return { ...standing, contextId: standing.run.session?.id ?? '', at }
}

/** Returns the state of a run's task. A run that waits only for services or sub-agents is working. */
export function stateOf({
  status,
  outcome,
  suspended,
}: Pick<TaskFacts, 'status' | 'outcome' | 'suspended'>): TaskState {
  if (status !== 'done') {
    return askable(suspended).length > 0 ? TaskState.TASK_STATE_INPUT_REQUIRED : TaskState.TASK_STATE_WORKING
  }
  if (outcome?.code === 'input_rejected') return TaskState.TASK_STATE_REJECTED
  if (outcome?.reason === 'cancelled') return TaskState.TASK_STATE_CANCELED
  const isWell = outcome?.reason === 'natural_end' || outcome?.reason === 'plugin_requested'
  return isWell ? TaskState.TASK_STATE_COMPLETED : TaskState.TASK_STATE_FAILED
}

/** Returns true for a state in which a task stays. */
export function isTerminal(state: TaskState): boolean {
  return state !== TaskState.TASK_STATE_WORKING && state !== TaskState.TASK_STATE_INPUT_REQUIRED
}

/** Returns true for a state that ends a blocking request: the task has ended, or the client is asked. */
export function rests(state: TaskState): boolean {
  return state !== TaskState.TASK_STATE_WORKING
}

/** Returns the calls that a client may answer. */
export function askable(suspended: readonly SuspendedCall[]): readonly SuspendedCall[] {
  const elsewhere: readonly unknown[] = ['service', 'subAgent']
  return suspended.filter(({ suspension }) => !elsewhere.includes(suspension?.reason))
}

/** Returns a run as a task. `historyLength` is the maximum number of messages; default: all. */
export function taskOf(facts: TaskFacts, historyLength?: number): Task {
  checkLength(historyLength)
  return {
    id: facts.runId,
    contextId: facts.contextId,
    status: statusOf(facts),
    artifacts: [...artifactsOf(facts)],
    history: historyLength === 0 ? [] : historyOf(facts).slice(-(historyLength ?? 0)),
    metadata: undefined,
  }
}

/** Throws for an invalid number of messages. */
export function checkLength(length: number | undefined): void {
  if (length === undefined || length >= 0) return
  throw new RequestMalformedError('The historyLength is refused. Expected a number of 0 or more.')
}

/** Returns the status of a run's task. */
export function statusOf(facts: TaskFacts): TaskStatus {
  const { at } = facts
  const timestamp = at === undefined ? undefined : new Date(at).toISOString()
  return { state: stateOf(facts), message: messageFor(facts), timestamp }
}

function messageFor(facts: TaskFacts): Message | undefined {
  const { status, outcome, rejection, suspended, runId } = facts
  const calls = status === 'done' ? [] : askable(suspended)
  if (calls.length > 0) {
    const id = calls.map((call) => targetOf(call)).join('+')
    const parts = [partOf(calls.map(questionText).join('\n')), ...calls.map((call) => dataPart(questionOf(call)))]
    return messageOf(facts, `${runId}:${id}`.slice(0, 500), parts)
  }
  const stopped = outcome?.reason === 'stopped' ? `The task was stopped: ${outcome.code ?? 'a limit'}.` : undefined
  const text = status === 'done' ? (rejection?.reason ?? outcome?.error?.message ?? stopped) : undefined
  return text === undefined ? undefined : messageOf(facts, `${runId}:end`, [partOf(text)])
}

function questionText(call: SuspendedCall): string {
  const { callId, toolName, arguments: given, suspension } = call
  const about = suspension?.message ?? `The agent wants to call "${toolName}" with ${JSON.stringify(given)}.`
  const wish = asksFor(call) === 'value' ? 'Answer with the value.' : 'Answer "approve" or "deny".'
  return `${callId}: ${about} ${wish}`
}

function questionOf(call: SuspendedCall): Json {
  const { callId, toolName, arguments: given, suspension } = call
  const { id: suspensionId, reason = 'approval', message, responseSchema } = suspension ?? {}
  const about = {
    callId,
    suspensionId,
    toolName,
    arguments: given,
    reason,
    asksFor: asksFor(call),
    message,
    responseSchema,
  }
  return toPlainJson(about) ?? null
}

/** Returns the result of a run: its answer, and its output if the agent has a contract for it. */
export function artifactsOf({ text, output }: Pick<TaskFacts, 'text' | 'output'>): readonly Artifact[] {
  const parts = [...(text === '' ? [] : [partOf(text)]), ...(output === undefined ? [] : [dataPart(output as Json)])]
  if (parts.length === 0) return []
  return [{ artifactId: 'answer', name: 'answer', description: '', parts, metadata: undefined, extensions: [] }]
}

/** Returns the messages of this run, without tool calls. */
function historyOf(facts: TaskFacts): Message[] {
  let clientId: string | undefined
  return facts.messages.flatMap((message): Message[] => {
    if (message.runId !== undefined) return []
    if (message.role === 'extension') clientId = clientIdIn([message]) ?? clientId
    const own = `${facts.runId}:${message.place}`
    if (message.role === 'assistant') {
      const text = textOf(message)
      return text === '' ? [] : [messageOf(facts, own, [partOf(text)])]
    }
    if (message.role !== 'user') return []
    const id = clientId ?? own
    clientId = undefined
    return [messageOf(facts, id, message.content.map(partOf), Role.ROLE_USER)]
  })
}
