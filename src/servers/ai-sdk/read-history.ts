import { mediaTypeOf } from '../../core/domain/media.ts'
import type { Agent, Message, Run } from '../../index.ts'
import type { StoredEvent } from '../../ports.ts'
import { clientIdIn } from '../chat/client-id.ts'
import { findSession } from '../chat/find-session.ts'
import { storedSoFar } from '../chat/seen-events.ts'
import { json } from '../http/http-error.ts'
import type { Exchange } from '../http/serve.ts'
import { RunEncoder } from './encode-run.ts'
import { heldId } from './held-id.ts'
import { type MessagePart, MessageParts } from './message-parts.ts'

/** A message in the form that `useChat` accepts for the first load of a page. */
export interface HistoryMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly parts: readonly MessagePart[]
}

/** The maximum runs of a conversation that are read, from the last one back. */
const mostRuns = 100

/** Returns the messages of a conversation as a client would have them that had read all its streams. */
export async function history(exchange: Exchange, sessionId: string): Promise<Response> {
  const { run } = await findSession(exchange, 'read', sessionId)
  return json({ messages: run === undefined ? [] : await messagesUpTo(exchange.agent, run) })
}

/** Returns the messages of the last run and of those it continues, as far as its transcript has them. */
async function messagesUpTo(agent: Agent, last: Run): Promise<readonly HistoryMessage[]> {
  const { messages: transcript, run: details } = await last.result()
  const places = new Set(transcript.map(({ place }) => place))
  const parts: (readonly HistoryMessage[])[] = []
  let runId: string | undefined = last.id
  for (let before = Infinity; runId !== undefined && parts.length < mostRuns;) {
    const told: readonly StoredEvent[] = await storedSoFar(await agent.load(runId))
    const started = told.find((event) => event.type === 'run.started')
    if (started !== undefined && started.session !== details.session?.id) break
    const isKept = (place: number) => place < before && places.has(place)
    const end = told.findIndex((event) => isSaid(event) && !isKept(event.place))
    parts.unshift(messagesIn(runId, end < 0 ? told : told.slice(0, end), end < 0))
    before = Math.min(before, told.find(isSaid)?.place ?? before)
    runId = started?.parentRunId
  }
  return parts.flat()
}

type Said = Extract<StoredEvent, { readonly type: 'message.ended' }>

function isSaid(event: StoredEvent): event is Said {
  return event.type === 'message.ended' && event.message.role !== 'toolResult'
}

/**
 * Returns the messages to a run, and its answers: one message, and one more after each message that came while the run
 * waited.
 */
function messagesIn(runId: string, told: readonly StoredEvent[], isWhole: boolean): readonly HistoryMessage[] {
  const encoder = new RunEncoder({ runId, carriedTurns: 0 })
  const last = told.findLast(({ type }) => type !== 'hook.failed')?.type
  const rests = isWhole && (last === 'run.waiting' || last === 'run.ended')
  const messages: HistoryMessage[] = []
  let answer = new MessageParts()
  let id = runId
  let clientId: string | undefined
  const close = () => {
    const { parts, metadata } = answer
    if (parts.length > 0) messages.push({ id, role: 'assistant', metadata, parts })
    answer = new MessageParts()
  }
  for (const chunk of encoder.begin()) answer.add(chunk)
  for (const event of told) {
    for (const chunk of encoder.encode(event)) answer.add(chunk)
    if (!isSaid(event)) continue
    const { message, place } = event
    if (message.role === 'extension') clientId = clientIdIn([message])
    if (message.role !== 'user') continue
    const said = clientId ?? `${runId}.${place}`
    clientId = undefined
    if (answer.parts.length > 0) {
      close()
      id = heldId(runId, said)
    }
    messages.push({ id: said, role: 'user', parts: message.content.map(partOf) })
  }
  for (const chunk of rests ? encoder.finish() : []) answer.add(chunk)
  close()
  return messages
}

function partOf(block: Extract<Message, { readonly role: 'user' }>['content'][number]): MessagePart {
  if (block.type === 'text') return { type: 'text', text: block.text }
  const mediaType = mediaTypeOf(block)
  const named = block.type === 'file' && block.name !== undefined ? { filename: block.name } : {}
  return { type: 'file', mediaType, url: `data:${mediaType};base64,${block.data}`, ...named }
}
