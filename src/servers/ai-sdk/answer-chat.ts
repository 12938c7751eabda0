import type { PromptMessage, Run } from '../../index.ts'
import { type ChatExchange, type ChatRoute, stop } from '../chat/chat-handlers.ts'
import { carriedIn } from '../chat/carried-turns.ts'
import { clientIdIn, clientIdMessage } from '../chat/client-id.ts'
import { findSession, type FoundSession, runOf } from '../chat/find-session.ts'
import { giveAnswers, takenUp } from '../chat/give-answers.ts'
import { runResponse } from '../chat/run-response.ts'
import { type HeldWords, sayWhileWaiting } from '../chat/say-while-waiting.ts'
import { grantedTo } from '../http/answer-writes.ts'
import { HttpError } from '../http/http-error.ts'
import { readJson } from '../http/read-body.ts'
import { RunEncoder } from './encode-run.ts'
import { heldId, isHeldId } from './held-id.ts'
import { answers, answersIn, decisionOf } from './read-answers.ts'
import { type ChatMessage, type ChatRequest, readChat } from './read-chat.ts'
import { history } from './read-history.ts'
import { blockRefusal } from '../../core/domain/media.ts'
import { readBlock } from '../../core/domain/read-block.ts'
import type { Said, ShownContent } from '../../ports.ts'

const streamHeaders = { 'x-vercel-ai-ui-message-stream': 'v1', 'x-accel-buffering': 'no' }

/** Handles a client's request: a prompt, answers to open questions, or a new answer to a message. */
async function send(exchange: ChatExchange): Promise<Response> {
  const chat = readChat(await readJson(exchange.request, exchange.maxBodyBytes))
  if (chat.trigger === 'regenerate-message') return answerAgain(exchange, chat)
  const { last } = chat
  if (last === undefined) throw new HttpError(400, 'bad_chat', 'The body has no last message.')
  return last.role === 'user' ? prompt(exchange, chat, last) : decide(exchange, chat, last)
}

/** The run of a repeated message continues. */
async function prompt(exchange: ChatExchange, { sessionId, messageId }: ChatRequest, last: ChatMessage) {
  const found = await findSession(exchange, 'prompt', sessionId)
  const { session, run } = found
  const said = promptOf(last)
  const isSame = run !== undefined && clientIdIn((await run.result()).messages) === last.id
  if (isSame && messageId === undefined) return stream(exchange, found, await takenUp(exchange, run))
  const options = { ...grantedTo(found.access), drive: exchange.drives }
  if (isSame) return stream(exchange, found, await session.branch({ ...options, prompt: said }))
  if (messageId !== undefined) {
    const wish = 'Send it as a new message, or edit the last one.'
    throw new HttpError(409, 'message_unknown', `Message "${messageId.slice(0, 80)}" is not the last message. ${wish}`)
  }
  const held = run && (await sayWhileWaiting(exchange, found, run, { id: last.id, said }))
  return held === undefined
    ? stream(exchange, found, await session.prompt(said, options))
    : streamHeld(exchange, found, held, last.id)
}

/** Responds to a message to a waiting run with its own message, in which the open questions can be answered. */
async function streamHeld(exchange: ChatExchange, found: FoundSession, held: HeldWords, saidId: string) {
  const { run, seen, note } = held
  const encoder = new RunEncoder({ runId: run.id, messageId: heldId(run.id, saidId), ...carriedIn(await run.result()) })
  for (const event of seen) encoder.encode(event)
  encoder.restate(note)
  return stream(exchange, found, run, { encoder, after: seen.at(-1)?.seq ?? 0 })
}

async function answerAgain(exchange: ChatExchange, { sessionId, messageId }: ChatRequest): Promise<Response> {
  const found = await findSession(exchange, 'prompt', sessionId)
  const last = runOf(found)
  const isLast = messageId === undefined || messageId === last.id || isHeldId(messageId, last.id)
  const from = isLast ? undefined : await beginningOf(exchange, found, messageId)
  const options = { ...grantedTo(found.access), drive: exchange.drives }
  return stream(exchange, found, await found.session.rerun({ ...options, ...(from && { from }) }))
}

/** Returns the start of a message's run; a user's message is the one that the last run answers, or an unknown one. */
async function beginningOf({ agent }: ChatExchange, { session }: FoundSession, messageId: string) {
  const unknown = new HttpError(404, 'message_unknown', 'The conversation has no such message of the assistant.')
  if (!/^[A-Za-z0-9_.-]{1,128}$/.test(messageId)) throw unknown
  const [listed] = await agent.runs({ session: session.id }).then((runs) => runs.filter(({ id }) => id === messageId))
  if (listed === undefined) throw unknown
  const first = (await (await agent.load(messageId)).history()).find(({ names }) => names.includes('UserMessage'))
  if (first === undefined) throw unknown
  return { runId: messageId, version: first.version }
}

/** Stores the client's answers, and reads on after the events that the client has seen. */
async function decide(exchange: ChatExchange, { sessionId, scope }: ChatRequest, last: ChatMessage): Promise<Response> {
  const found = await findSession(exchange, 'decide', sessionId)
  const { run, seen } = await giveAnswers(exchange, found, runOf(found), {
    given: answersIn(last),
    answers,
    decisionOf: (answer, call) => decisionOf(answer, call, scope),
  })
  const messageId = isHeldId(last.id, run.id) ? last.id : run.id
  const encoder = new RunEncoder({ runId: run.id, messageId, ...carriedIn(await run.result()) })
  for (const event of seen) encoder.encode(event)
  return stream(exchange, found, run, { encoder, after: seen.at(-1)?.seq ?? 0 })
}

/** Returns the running or waiting run from its start, and then as it continues. */
async function reconnect(exchange: ChatExchange, sessionId: string): Promise<Response> {
  const found = await findSession(exchange, 'follow', sessionId)
  const standing = await found.run?.result()
  if (found.run === undefined || standing?.status === 'done') return new Response(null, { status: 204 })
  return stream(exchange, found, found.run)
}

async function stream(
  { request, cancelOnClose }: ChatExchange,
  { session }: FoundSession,
  run: Run,
  from?: { readonly encoder: RunEncoder; readonly after: number },
): Promise<Response> {
  const encoder = from?.encoder ?? new RunEncoder({ runId: run.id, ...carriedIn(await run.result()) })
  const onLeft = cancelOnClose ? () => session.cancel() : undefined
  return runResponse(run, encoder, {
    request,
    headers: streamHeaders,
    end: 'data: [DONE]\n\n',
    after: from?.after ?? 0,
    onLeft,
  })
}

/** Every route of `createChatHandlers`. */
export const chatRoutes: readonly ChatRoute[] = [
  { method: 'POST', path: '', answer: send },
  { method: 'GET', path: '/:session/stream', answer: reconnect },
  { method: 'GET', path: '/:session/messages', answer: history },
  { method: 'POST', path: '/:session/stop', answer: stop },
]

/**
 * Returns the user's texts, pictures and files in order, after the client's id of the message, so that a repeated
 * request begins nothing. Throws an `HttpError` for a rejected file; nothing is fetched.
 */
function promptOf({ id, parts }: ChatMessage): Said {
  const content = parts.flatMap((part): readonly ShownContent[] => {
    if (part['type'] === 'text' && typeof part['text'] === 'string') return [{ type: 'text', text: part['text'] }]
    return part['type'] === 'file' ? [fileOf(part)] : []
  })
  if (content.length === 0) throw new HttpError(400, 'bad_prompt', 'The last message has neither a text nor a file.')
  const said: PromptMessage = { role: 'user', content }
  return [clientIdMessage(id), said]
}

function fileOf({ url, filename, mediaType }: Readonly<Record<string, unknown>>): ShownContent {
  const given = { type: 'file', url, filename, mediaType }
  const { block, problem } = readBlock(given)
  if (block !== undefined) return block
  throw new HttpError(400, 'file_refused', blockRefusal(given, problem))
}
