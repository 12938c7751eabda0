import { createHash } from 'node:crypto'
import { GetTaskRequest, ListTasksRequest, SendMessageRequest, TaskState } from '@a2a-js/sdk'
import { A2AError, RequestMalformedError } from '@a2a-js/sdk/errors'
import { isRecord } from '../../../core/domain/text/json.ts'
import type { ToolContext, ToolReturn } from '../../../core/ports/tool.ts'
import type { AgentLink } from './agent-link.ts'
import {
  contentOf,
  isApproval,
  questionIn,
  questionOf,
  type RemoteQuestion,
  resultOf,
  ticketOf,
} from './task-result.ts'

export { openLink } from './agent-link.ts'

/** The arguments of a call. `answers` are data parts, and count only as answers to a question. */
export interface RemoteArguments {
  readonly prompt: string
  readonly answers?: unknown
}

/**
 * Starts or finds the task of a call, or answers its question, and waits until the task has ended or asks a question.
 */
export async function workRemotely(link: AgentLink, given: RemoteArguments, context: ToolContext): Promise<ToolReturn> {
  const question = questionOf(context.suspension)
  if (question === undefined) {
    const begun = await context.step('task', () => begin(link, given.prompt, context))
    return 'taskId' in begun ? conclude(link, begun.taskId, context) : { content: begun.content }
  }
  const problem = await answer(link, question, given, context)
  if (problem === undefined) return conclude(link, question.taskId, context)
  return context.suspend(ticketOf(link.card.name, question, problem))
}

/** Sends the prompt, or finds the task that an earlier performance has begun. An agent may also answer with a message. */
async function begin(link: AgentLink, prompt: string, context: ToolContext) {
  const request = requestOf(keyOf(context), [{ text: prompt }])
  const result = await persistently(link, context, async (isAgain) => {
    const found = isAgain ? await findTask(link, request, context) : undefined
    return found ?? (await link.client.sendMessage(request))
  })
  // The call may have been cancelled before its task had an id.
  if ('id' in result && context.signal.aborted) cancelTask(link, result.id, context)
  return 'id' in result ? { taskId: result.id } : { content: contentOf(result.parts) }
}

/** Looks for the task that a message has begun, for agents that do not recognise a message by its id. */
async function findTask({ client }: AgentLink, { message }: SendMessageRequest, { signal }: ToolContext) {
  const wanted = ListTasksRequest.fromJSON({ pageSize: 100, historyLength: 100 })
  const { tasks } = await client.listTasks(wanted, { signal }).catch((error: unknown) => {
    if (error instanceof A2AError) return { tasks: [] }
    throw error
  })
  return tasks.find(({ history }) => history.some(({ messageId }) => messageId === message?.messageId))
}

/** Sends a person's answer once. Returns the reason if it was refused. */
async function answer(
  link: AgentLink,
  question: RemoteQuestion,
  given: RemoteArguments,
  context: ToolContext,
): Promise<string | undefined> {
  const parts = answerParts(question, given, context.decision?.input !== undefined)
  if (parts === undefined) return 'It asks for a text, and none was given.'
  const id = context.suspension?.id ?? ''
  const { taskId, contextId } = question
  const request = requestOf(keyOf(context, id), parts, { taskId, contextId })
  try {
    await context.step(`answer ${id}`, () =>
      persistently(link, context, async (isAgain) => {
        if (isAgain && (await isTaken(link, request, context))) return
        await link.client.sendMessage(request, { signal: context.signal })
      }),
    )
    return undefined
  } catch (error) {
    if (error instanceof RequestMalformedError) return error.message
    // A task that has ended meanwhile says so itself.
    if (error instanceof A2AError) return undefined
    throw error
  }
}

function answerParts(
  { calls }: RemoteQuestion,
  given: RemoteArguments,
  isEdited: boolean,
): readonly JsonPart[] | undefined {
  if (isEdited) {
    const answers = Array.isArray(given.answers) ? given.answers.filter(isRecord) : []
    return answers.length > 0 ? answers.map((data) => ({ data })) : [{ text: given.prompt }]
  }
  if (!isApproval({ calls })) return undefined
  return calls.map(({ callId, suspensionId }) => ({ data: { callId, suspensionId, action: 'resume' } }))
}

/** Returns true if a task does not wait any more, or has a message with this id. */
async function isTaken({ client }: AgentLink, { message }: SendMessageRequest, { signal }: ToolContext) {
  const { status, history } = await client.getTask(GetTaskRequest.fromJSON({ id: message?.taskId }), { signal })
  return !isAsking(status?.state) || history.some(({ messageId }) => messageId === message?.messageId)
}

/** Follows a task until it has ended or asks. A call that is cancelled cancels its task. */
async function conclude(link: AgentLink, taskId: string, context: ToolContext): Promise<ToolReturn> {
  const { client, card, clock } = link
  const { signal } = context
  const about = GetTaskRequest.fromJSON({ id: taskId })
  const cancel = () => cancelTask(link, taskId, context)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    for (let looks = 0; ; looks++) {
      const task = await persistently(link, context, () => client.getTask(about, { signal }))
      const state = task.status?.state
      if (isAsking(state)) return context.suspend(ticketOf(card.name, questionIn(task)))
      if (!isWorking(state)) return resultOf(task)
      await clock.sleepUntil(clock.now() + Math.min(pollMs * 2 ** looks, mostPollMs), signal)
    }
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** Cancels a task whose call was cancelled. The reason of the signal is another one if this process has left the run. */
function cancelTask({ client }: AgentLink, id: string, { signal }: ToolContext): void {
  if (!(signal.reason instanceof Error) || signal.reason.message !== 'The effect is no longer wanted.') return
  void client.cancelTask({ tenant: '', id, metadata: undefined }).catch(() => undefined)
}

/** Milliseconds between two looks at a task that works; they double up to the second number. */
const pollMs = 250
const mostPollMs = 10_000

function isWorking(state: TaskState | undefined): boolean {
  return state === TaskState.TASK_STATE_SUBMITTED || state === TaskState.TASK_STATE_WORKING
}

function isAsking(state: TaskState | undefined): boolean {
  return state === TaskState.TASK_STATE_INPUT_REQUIRED || state === TaskState.TASK_STATE_AUTH_REQUIRED
}

const mostTries = 5

/** Repeats a request that failed on its way, or may have before. An answer of the agent, also a refusal, ends it. */
async function persistently<Result>(
  { clock }: AgentLink,
  { signal, attempt }: ToolContext,
  send: (isAgain: boolean) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await send(tries > 1 || attempt > 1)
    } catch (error) {
      signal.throwIfAborted()
      const isAnswer = error instanceof A2AError || (error instanceof Error && /Status: 4\d\d/.test(error.message))
      if (isAnswer || tries === mostTries) throw error
    }
    await clock.sleepUntil(clock.now() + pollMs * 2 ** tries, signal)
  }
}

/** Returns a message id that is the same for every attempt of a call with the same arguments. */
function keyOf({ idempotencyKey }: ToolContext, suspensionId = ''): string {
  return createHash('sha256').update(`${idempotencyKey}:${suspensionId}`).digest('hex')
}

/** A text or data for a part, as in the protocol's JSON. */
type JsonPart = { readonly text: string } | { readonly data: object }

function requestOf(messageId: string, parts: readonly JsonPart[], place = {}): SendMessageRequest {
  const message = { messageId, role: 'ROLE_USER', parts: parts.map(typed), ...place }
  return SendMessageRequest.fromJSON({ message, configuration: { returnImmediately: true } })
}

function typed(part: JsonPart): object {
  return { ...part, mediaType: 'text' in part ? 'text/plain' : 'application/json' }
}
