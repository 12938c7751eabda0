import type { Agent, Message, Run, StoredEvent } from '../../index.ts'
import { clientIdIn } from '../chat/client-id.ts'
import { findSession } from '../chat/find-session.ts'
import { storedSoFar } from '../chat/seen-events.ts'
import { json } from '../server/http-error.ts'
import type { Exchange } from '../server/serve.ts'
import { RunEncoder } from './encode-run.ts'
import { type MessagePart, MessageParts } from './message-parts.ts'

/** A message as `useChat` takes it for the first load of a page. */
export interface HistoryMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly parts: readonly MessagePart[]
}

/** Runs of a conversation that are read, from the last one back. */
const mostRuns = 100

/** The messages of a conversation, as a client that had read all its streams would have them. */
export async function history(exchange: Exchange, sessionId: string): Promise<Response> {
  const { run } = await findSession(exchange, 'read', sessionId)
  return json({ messages: run === undefined ? [] : await messagesUpTo(exchange.agent, run) })
}

/** Goes back from the last run to those it goes on from, as far as its transcript has their messages. */
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

/** What was said to a run, and the one message that all its answers are. */
function messagesIn(runId: string, told: readonly StoredEvent[], isWhole: boolean): readonly HistoryMessage[] {
  const encoder = new RunEncoder({ runId, carriedTurns: 0 })
  const answer = new MessageParts()
  const last = told.findLast(({ type }) => type !== 'hook.failed')?.type
  const rests = isWhole && (last === 'run.waiting' || last === 'run.ended')
  const chunks = [encoder.begin(), ...told.map((event) => encoder.encode(event)), rests ? encoder.finish() : []]
  for (const chunk of chunks.flat()) answer.add(chunk)
  const { parts, metadata } = answer
  return [
    ...usersIn(runId, told),
    ...(parts.length === 0 ? [] : [{ id: runId, role: 'assistant' as const, metadata, parts }]),
  ]
}

/** What was said before the first answer, under the ids that the client gave. */
function usersIn(runId: string, told: readonly StoredEvent[]): readonly HistoryMessage[] {
  const said = told.filter(isSaid).map(({ message }) => message)
  const first = said.findIndex(({ role }) => role === 'assistant')
  const before = first < 0 ? said : said.slice(0, first)
  return before.flatMap((message, at): readonly HistoryMessage[] => {
    if (message.role !== 'user') return []
    const id = clientIdIn(before.slice(Math.max(0, at - 1), at)) ?? `${runId}.${at}`
    return [{ id, role: 'user', parts: message.content.map(partOf) }]
  })
}

function partOf(block: Extract<Message, { readonly role: 'user' }>['content'][number]): MessagePart {
  if (block.type === 'text') return { type: 'text', text: block.text }
  return { type: 'file', mediaType: block.mimeType, url: `data:${block.mimeType};base64,${block.data}` }
}
