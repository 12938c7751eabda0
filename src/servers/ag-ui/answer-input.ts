import type { Run } from '../../index.ts'
import type { Said, StoredEvent } from '../../ports.ts'
import { type ChatExchange, type ChatRoute, stop } from '../chat/chat-handlers.ts'
import { carriedIn } from '../chat/carried-turns.ts'
import { clientIdIn, clientIdMessage } from '../chat/client-id.ts'
import { type FoundSession, findSession, runOf } from '../chat/find-session.ts'
import { giveAnswers, takenUp } from '../chat/give-answers.ts'
import { runResponse } from '../chat/run-response.ts'
import { isKept, sayWhileWaiting } from '../chat/say-while-waiting.ts'
import { grantedTo } from '../http/answer-writes.ts'
import { readJson } from '../http/read-body.ts'
import { AgUiEncoder } from './encode-run.ts'
import { type AgUiInput, answers, decisionOf, readInput } from './read-input.ts'

/** Handles a client's request: answers to open questions, a prompt, or reading on. */
async function runInput(exchange: ChatExchange): Promise<Response> {
  const input = readInput(await readJson(exchange.request, exchange.maxBodyBytes))
  const { said, answers: given, threadId } = input
  if (await isAnswer(exchange, input)) {
    const found = await findSession(exchange, 'decide', threadId)
    await keepBeside(exchange, found, said)
    const { run, seen } = await giveAnswers(exchange, found, runOf(found), { given, answers, decisionOf })
    return stream(exchange, found, { input, run, seen, isWhole: false })
  }
  if (said === undefined) {
    const found = await findSession(exchange, 'follow', threadId)
    return stream(exchange, found, { input, run: runOf(found), seen: [], isWhole: true })
  }
  const found = await findSession(exchange, 'prompt', threadId)
  const { run } = found
  if (run !== undefined && (await isTold(run, said.id))) {
    return stream(exchange, found, { input, run: await takenUp(exchange, run), seen: [], isWhole: true })
  }
  const prompt = promptOf(said)
  const held = run && (await sayWhileWaiting(exchange, found, run, { id: said.id, said: prompt }))
  if (held !== undefined) return stream(exchange, found, { input, isWhole: false, ...held })
  const options = { ...grantedTo(found.access), drive: exchange.drives }
  const begun = await found.session.prompt(prompt, options)
  return stream(exchange, found, { input, run: begun, seen: [], isWhole: false })
}

type ClientSaid = NonNullable<AgUiInput['said']>

function promptOf({ id, content }: ClientSaid): Said {
  return [clientIdMessage(id), { role: 'user' as const, content }]
}

async function isTold(run: Run, saidId: string): Promise<boolean> {
  return clientIdIn((await run.result()).messages) === saidId
}

/** Posts a message that comes together with answers, so that the run reads it when it continues. */
async function keepBeside(exchange: ChatExchange, { run }: FoundSession, said: ClientSaid | undefined): Promise<void> {
  if (run === undefined || said === undefined || (await isTold(run, said.id))) return
  await isKept(exchange, run, { id: said.id, said: promptOf(said) })
}

/** Clients also send results of tools that they do not have, which answer nothing. */
async function isAnswer(exchange: ChatExchange, { answers: given, threadId }: AgUiInput): Promise<boolean> {
  if (given.length === 0 || given.some(({ kind }) => kind === 'interrupt')) return given.length > 0
  const { run } = await findSession(exchange, 'follow', threadId)
  const { suspended } = (await run?.result()) ?? { suspended: [] }
  return suspended.some((call) => given.some((answer) => answers(answer, call)))
}

interface Streamed {
  readonly input: AgUiInput
  readonly run: Run
  /** The part of the run that the client knows. */
  readonly seen: readonly StoredEvent[]
  readonly isWhole: boolean
  /** A text for people before the events. */
  readonly note?: string
}

async function stream(
  { request, cancelOnClose }: ChatExchange,
  { session }: FoundSession,
  { input, run, seen, isWhole, note = '' }: Streamed,
): Promise<Response> {
  const standing = await run.result()
  const transcript = standing.messages
  const as = { threadId: input.threadId, runId: input.runId }
  const encoder = new AgUiEncoder({ runId: run.id, ...carriedIn(standing), as, transcript, isWhole, note })
  for (const event of seen) encoder.encode(event)
  encoder.rest()
  const onLeft = cancelOnClose ? () => session.cancel() : undefined
  return runResponse(run, encoder, { request, after: seen.at(-1)?.seq ?? 0, onLeft })
}

/** Every route of `createAgUiHandlers`. */
export const agUiRoutes: readonly ChatRoute[] = [
  { method: 'POST', path: '', answer: runInput },
  { method: 'POST', path: '/:session/stop', answer: stop },
]
