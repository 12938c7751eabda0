import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Message, type Part, type SendMessageRequest, TaskState } from '@a2a-js/sdk'
import { RequestMalformedError, UnsupportedOperationError } from '@a2a-js/sdk/errors'
import { canonicalJson } from '../../core/domain/text/json.ts'
import type { Run } from '../../index.ts'
import type { Said, SuspendedCall } from '../../ports.ts'
import { clientIdIn, clientIdMessage } from '../chat/client-id.ts'
import { type FoundSession, findSession, unknownSession } from '../chat/find-session.ts'
import { takenUp } from '../chat/give-answers.ts'
import { isKept } from '../chat/say-while-waiting.ts'
import { grantedTo } from '../http/answer-writes.ts'
import { findRun } from '../http/find-run.ts'
import type { Exchange } from '../http/serve.ts'
import { contentOf } from './parts.ts'
import { answersIn, isAnswer } from './task-answers.ts'
import { checkLength, isTerminal, stateOf } from './task-of.ts'

/**
 * Processes a client's message, and returns the run that it begins, steers or answers. A message with the same id
 * changes nothing and returns the same run.
 */
export async function sendMessage(exchange: Exchange, request: SendMessageRequest): Promise<Run> {
  const { message, configuration } = request
  checkLength(configuration?.historyLength)
  const { messageId = '', parts = [], taskId = '' } = message ?? {}
  if (message === undefined || messageId === '' || messageId.length > mostIdLength || parts.length === 0) {
    const wish = `Expected a messageId of 1 to ${mostIdLength} characters, and at least one part.`
    throw new RequestMalformedError(`The message is refused. ${wish}`)
  }
  return taskId === '' ? await begun(exchange, message) : await said(exchange, message)
}

/** The characters of a message id that are stored; longer ones could be confused. */
const mostIdLength = 200

async function begun(exchange: Exchange, message: Message): Promise<Run> {
  const { messageId, parts } = message
  const content = parts.map(contentOf)
  if (content.every((block) => block.type === 'text' && block.text.trim() === '')) {
    throw new RequestMalformedError('The message is empty. Expected a text, data or a file.')
  }
  const found = await sessionOf(exchange, message)
  const earlier = await begunBy(exchange, found, message)
  if (earlier !== undefined) return takenUp(exchange, earlier)
  const prompt: Said = [clientIdMessage(messageId), { role: 'user', content }]
  try {
    return await found.session.prompt(prompt, { ...grantedTo(found.access), drive: exchange.drives })
  } catch (error) {
    // The same message may have arrived twice at once.
    const same = await begunBy(exchange, await findSession(exchange, 'prompt', found.session.id), message)
    if (same !== undefined) return same
    throw error
  }
}

/**
 * Returns the session of a message. Without a context its id is derived, so that the same message finds it again. A context
 * that the client has not begun here is unknown.
 */
async function sessionOf(exchange: Exchange, { contextId, messageId }: Message): Promise<FoundSession> {
  if (contextId !== '') {
    const isId = /^[A-Za-z0-9_-]{1,64}$/.test(contextId)
    const found = isId ? await findSession(exchange, 'prompt', contextId) : undefined
    if (found?.run === undefined) throw unknownSession()
    return found
  }
  const { filter = {} } = await exchange.allow({ action: 'start' })
  const { subject = null, labels = {} } = filter
  const key = canonicalJson([exchange.agent.name, subject, labels, messageId])
  return findSession(exchange, 'start', createHash('sha256').update(key).digest('base64url'))
}

/** Returns the run of the session that this message has begun. Throws if another message with its id has begun one. */
async function begunBy({ agent }: Exchange, { run }: FoundSession, message: Message): Promise<Run | undefined> {
  const { messageId, parts } = message
  const messages = (await run?.messages()) ?? []
  const at = messages.findIndex((one) => clientIdIn([one]) === messageId)
  const prompt = at < 0 ? undefined : messages[at + 1]
  if (prompt?.role !== 'user') return undefined
  if (isDeepStrictEqual(parts.map(contentOf), prompt.content)) {
    return prompt.runId === undefined ? run : await agent.load(prompt.runId)
  }
  const wish = 'Expected a new one for each message.'
  throw new RequestMalformedError(`Another message has the messageId "${messageId}". ${wish}`)
}

async function said(exchange: Exchange, message: Message): Promise<Run> {
  const { taskId: runId, contextId, messageId, parts } = message
  const { agent } = exchange
  const run = await findRun({ agent, runId, access: await exchange.allow({ action: 'read', runId }) })
  const standing = await run.result()
  if (contextId !== '' && contextId !== standing.run.session?.id) {
    throw new RequestMalformedError(`Task "${runId}" belongs to another context.`)
  }
  const isRepeated =
    standing.decisions.some(({ decisionId }) => decisionId.startsWith(`${messageId}:`)) ||
    standing.messages.some((one) => clientIdIn([one]) === messageId)
  const state = stateOf(standing)
  if (isRepeated) return isTerminal(state) ? run : takenUp(exchange, run)
  if (isTerminal(state)) throw finished(runId)
  if (state === TaskState.TASK_STATE_INPUT_REQUIRED) return answered(exchange, run, message, standing.suspended)
  if (parts.some(isAnswer)) throw new RequestMalformedError(`No call of task "${runId}" waits for an answer.`)
  await exchange.allow({ action: 'steer', runId })
  await kept(exchange, run, messageId, parts)
  return takenUp(exchange, run)
}

async function answered(
  exchange: Exchange,
  run: Run,
  message: Message,
  suspended: readonly SuspendedCall[],
): Promise<Run> {
  const { decisions, rest } = answersIn(message, suspended)
  const { by } = await exchange.allow({ action: 'decide', runId: run.id })
  if (rest.length > 0) await kept(exchange, run, message.messageId, rest)
  const receipts = await run.decide(decisions.map((one) => (by === undefined ? one : { ...one, by })))
  const taken = await takenUp(exchange, run)
  const failed = receipts.find(({ answer }) => answer === 'refused' || answer === 'stale' || answer === 'unknown')
  if (failed === undefined) return taken
  throw new RequestMalformedError(failed.message ?? `Call "${failed.target}" does not wait for this answer any more.`)
}

/** Keeps words for the next turn of the run, once. */
async function kept(exchange: Exchange, run: Run, id: string, parts: readonly Part[]): Promise<void> {
  const words: Said = [clientIdMessage(id), { role: 'user', content: parts.map(contentOf) }]
  if (!(await isKept(exchange, run, { id, said: words }))) throw finished(run.id)
}

function finished(runId: string): UnsupportedOperationError {
  const wish = 'Send the message without taskId, with its contextId, to continue in a new task.'
  return new UnsupportedOperationError(`Task "${runId}" has ended and accepts no message. ${wish}`)
}
