import { defined, freezeDeep } from '../domain/text/json.ts'
import type { AssistantMessage, Message, ToolCallContent, ToolResultMessage } from '../domain/message.ts'
import { noUsage } from '../domain/usage.ts'
import type { Piece, Reading } from './reading.ts'

/** A call without a result in the transcript, which received a generated one. */
export interface RepairedCall {
  /** The index of the message with the call, from 0. */
  readonly at: number
  readonly callId: string
  readonly toolName: string
}

const missingText = '[Tool execution was interrupted before producing a result.]'

type Answer = Extract<Piece, { readonly kind: 'assistant' }>
type Result = Extract<Piece, { readonly kind: 'result' }>

/** The slot of a call's one result, right after its answer. */
interface Slot {
  readonly at: number
  readonly callId: string
  readonly call: ToolCallContent
  result?: ToolResultMessage
}

const partLength = 10_000

/** Joins pieces to messages in parts. A call without a result gets that of an interrupted tool. */
export function* joinPieces(
  pieces: readonly Piece[],
  reading: Reading,
  now: number,
): Generator<undefined, { readonly messages: readonly Message[]; readonly repaired: readonly RepairedCall[] }> {
  const joined: (Message | Slot)[] = []
  const open = new OpenCalls()
  for (const [place, piece] of pieces.entries()) {
    if (place % partLength === 0) yield
    reading.at = piece.at
    if (piece.kind === 'extension') joined.push({ timestamp: now, ...piece.message })
    else if (piece.kind === 'result') fill(piece, open, reading, now)
    else if (piece.content.length === 0) reading.leave('empty', 'nothing is left of the message')
    else if (piece.kind === 'user')
      joined.push({ role: 'user', content: piece.content, timestamp: piece.timestamp ?? now })
    else for (const one of open.answer(piece, now)) joined.push(one)
  }
  const repaired: RepairedCall[] = []
  const messages: Message[] = []
  for (const [place, one] of joined.entries()) {
    if (place % partLength === 0) yield
    messages.push(freezeDeep<Message>('role' in one ? one : (one.result ?? missing(one, repaired, now))))
  }
  return { messages, repaired }
}

function missing(slot: Slot, repaired: RepairedCall[], now: number): ToolResultMessage {
  const { at, callId, call } = slot
  repaired.push({ at, callId, toolName: call.name })
  const content = [{ type: 'text', text: missingText } as const]
  return resultOf(slot, { kind: 'result', at, id: call.id, content, isError: true }, now)
}

function fill(piece: Result, open: OpenCalls, reading: Reading, now: number): void {
  const slot = open.take(piece.id)
  if (slot === undefined)
    reading.leave('result', `no open call before it has the id ${JSON.stringify(piece.id.slice(0, 100))}`)
  else slot.result = resultOf(slot, piece, now)
}

function resultOf({ callId, call }: Slot, { content, isError, known }: Result, now: number): ToolResultMessage {
  const status = known?.status === 'warning' && !isError ? 'warning' : isError ? 'error' : 'success'
  const { timestamp = now, details, childRunId } = known ?? {}
  return {
    role: 'toolResult',
    callId,
    toolCallId: call.id,
    toolName: call.name,
    content,
    isError,
    status,
    ...defined({ details, childRunId }),
    timestamp,
  }
}

/** Calls of one answer with the same id, and the number of their results. */
interface SameCalls {
  readonly turn: number
  readonly slots: Slot[]
  answered: number
}

/** The calls without a result, by their ids, which may repeat. The total work of all lookups is linear. */
class OpenCalls {
  #turn = 0
  readonly #open = new Map<string, SameCalls[]>()
  readonly #names = new Map<string, number>()

  /** Returns an answer with our ids for its calls, and a slot for each call. */
  answer({ at, content, known = {} }: Answer, now: number): readonly (Message | Slot)[] {
    this.#turn++
    const slots: Slot[] = []
    const named = content.map((block) => {
      if (block.type !== 'toolCall') return block
      const callId = this.#nameOf(block.callId ?? `${this.#turn}.${block.id}`)
      slots.push({ at, callId, call: block })
      return { ...block, callId }
    })
    // A result may name a call by either id.
    for (const slot of slots)
      for (const id of new Set([slot.call.id, slot.call.callId ?? slot.call.id])) this.#add(id, slot)
    const base: AssistantMessage = {
      role: 'assistant',
      content: named,
      stopReason: slots.length === 0 ? 'stop' : 'toolUse',
      model: '',
      provider: '',
      usage: noUsage,
      timestamp: now,
    }
    return [{ ...base, ...known, content: named }, ...slots]
  }

  /** Returns the first open call with this id in the last answer that has one. */
  take(id: string): Slot | undefined {
    const answers = this.#open.get(id) ?? []
    for (let last = answers.at(-1); last !== undefined; last = answers.at(-1)) {
      const slot = last.slots[last.answered++]
      if (slot === undefined) answers.pop()
      else if (slot.result === undefined) return slot
    }
    return undefined
  }

  #add(id: string, slot: Slot): void {
    const answers = this.#open.get(id) ?? []
    this.#open.set(id, answers)
    const last = answers.at(-1)
    if (last?.turn === this.#turn) last.slots.push(slot)
    else answers.push({ turn: this.#turn, slots: [slot], answered: 0 })
  }

  #nameOf(wanted: string): string {
    for (let count = this.#names.get(wanted) ?? 1; ; count++) {
      const name = count === 1 ? wanted : `${wanted}.${count}`
      this.#names.set(wanted, count + 1)
      if (count === 1 || !this.#names.has(name)) {
        if (count > 1) this.#names.set(name, 2)
        return name
      }
    }
  }
}
