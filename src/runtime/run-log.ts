import { type CallRecord, isTerminal } from '../domain/call.ts'
import { freezeDeep, frozenCopy } from '../domain/frozen.ts'
import type { Json } from '../domain/json.ts'
import type { LogEntry, Write } from '../domain/log.ts'
import {
  type CallResult,
  failureMessage,
  lateResultNote,
  placeholderMessage,
  resultMessage,
} from '../domain/call-result.ts'
import { type Message, userMessage } from '../domain/message.ts'
import type { Suspension } from '../domain/suspension.ts'
import { EngineError } from './engine-error.ts'
import { applyChanges } from './state-changes.ts'
import { Transcript } from './transcript.ts'

/** What has been written since the last commit and goes with the next. */
export interface UncommittedWrites {
  readonly append: readonly LogEntry[]
  readonly calls: readonly CallRecord[]
  readonly answered: readonly { readonly id: number; readonly suspensionId: string }[]
}

/** Hears what the log takes in, in order. */
export interface RunLogListener {
  message(seq: number, message: Message): void
  callChanged(callId: string): void
  stateChanged(state: Json): void
}

const silent: RunLogListener = { message: () => {}, callChanged: () => {}, stateChanged: () => {} }

/**
 * A run's log in memory: what the store holds and what the next commit adds, numbered at once. All of it is the
 * log's own and frozen, so whoever is shown a part of it can change nothing.
 */
export class RunLog {
  #entries: LogEntry[]
  readonly #slots = new Map<string, number>()
  readonly #replaced = new Map<number, Message>()
  readonly #transcript = new Transcript()
  #state: Json
  #openSlots = 0
  #uncommitted: LogEntry[] = []
  readonly #touched = new Set<string>()
  #answered: { id: number; suspensionId: string }[] = []
  readonly #listener: RunLogListener

  constructor(log: readonly LogEntry[], nextSeq: number, listener: RunLogListener = silent) {
    this.#listener = listener
    this.#state = freezeDeep({})
    this.#entries = []
    for (const entry of log) if (entry.kind !== 'checkpoint') this.#index(ours(entry))
    this.nextSeq = nextSeq
    for (const callId of this.#slots.keys()) if (isOpen(this.requireCall(callId))) this.#openSlots++
  }

  /** The sequence number the next appended entry gets. */
  nextSeq: number

  get state(): Json {
    return this.#state
  }

  /** Calls with neither result nor placeholder; no transcript is read while there are any. */
  get openSlots(): number {
    return this.#openSlots
  }

  get hasUncommitted(): boolean {
    return this.#uncommitted.length + this.#touched.size + this.#answered.length > 0
  }

  call(callId: string): CallRecord | undefined {
    const entry = this.#entries[this.#slots.get(callId) ?? -1]
    return entry?.kind === 'call' ? entry.call : undefined
  }

  calls(): readonly CallRecord[] {
    return [...this.#slots.keys()].map((callId) => this.requireCall(callId))
  }

  message(seq: number): Message | undefined {
    const entry = this.#entries[seq]
    return entry?.kind === 'message' ? entry.message : undefined
  }

  /** Every entry in order, checkpoints left out. */
  entries(): readonly LogEntry[] {
    return this.#entries.filter((entry) => entry !== undefined)
  }

  /** The transcript in order, each slot showing its result, a late one in the placeholder's place. */
  messages(): readonly Message[] {
    return this.#transcript.from(this.#entries, (entry) => this.#shown(entry))
  }

  #shown(entry: LogEntry): Message | undefined {
    if (entry.kind === 'message') return entry.replaces === undefined ? entry.message : undefined
    if (entry.kind !== 'call') return undefined
    return this.#replaced.get(entry.seq) ?? entry.call.result ?? freezeDeep(placeholderMessage(entry.call))
  }

  requireCall(callId: string): CallRecord {
    const call = this.call(callId)
    if (call === undefined) throw new Error(`No call "${callId}" in the log of this run.`)
    return call
  }

  setStatus(callId: string, status: CallRecord['status']): void {
    const call = this.call(callId)
    if (call !== undefined && call.status !== status) this.#replace({ ...call, status })
  }

  /** Takes in what an effect or a chart wants written; returns the first number given out. */
  apply(writes: readonly Write[], now: number): number {
    const first = this.nextSeq
    for (const write of writes) this.#write(write, now)
    return first
  }

  /** A call that settles with the next commit without a result. */
  findUnanswered(): CallRecord | undefined {
    const appended = this.#uncommitted.flatMap((entry) => (entry.kind === 'call' ? entry.call : []))
    const settles = (call: CallRecord) => isTerminal(call.status) && call.result === undefined
    return [...appended, ...this.uncommitted().calls].find(settles)
  }

  /** What the next commit adds; a commit that was refused leaves it here. */
  uncommitted(): UncommittedWrites {
    return {
      append: this.#uncommitted,
      calls: [...this.#touched]
        .map((callId) => this.requireCall(callId))
        .filter((call) => !this.#uncommitted.some((entry) => entry.seq === call.seq)),
      answered: this.#answered,
    }
  }

  markCommitted(): void {
    this.#uncommitted = []
    this.#touched.clear()
    this.#answered = []
  }

  #write(write: Write, now: number): void {
    switch (write.kind) {
      case 'append':
        this.#append(ours(write.message), write.replaces)
        return
      case 'note':
        this.#append(userMessage(write.text, now))
        return
      case 'failure':
        this.#append(failureMessage(write.error, now))
        return
      case 'reserve':
        this.#reserve(ours(write.call))
        return
      case 'call':
        this.#replace({ ...this.requireCall(write.callId), ...ours(write.patch) })
        return
      case 'suspension':
        this.#suspend(write.callId, ours(write.suspension))
        return
      case 'result':
        this.#setResult(write.callId, resultMessage(this.requireCall(write.callId), write.text, 'error', now))
        return
      case 'amend':
        this.#amend(write.callId, write.text)
        return
      case 'publish':
        this.#publish(write.callId, now)
        return
      case 'answered':
        this.#answered.push({ id: write.inboxId, suspensionId: write.suspensionId })
        return
      case 'applyPatch':
        this.#applyPatch(write.callId)
        return
      case 'state':
        this.#setState(applyChanges(this.#state, ours(write.changes)))
        return
    }
  }

  #append(message: Message, replaces?: number): void {
    const seq = this.nextSeq++
    this.#add({ kind: 'message', seq, message, ...(replaces === undefined ? {} : { replaces }) })
    this.#listener.message(seq, message)
  }

  #reserve(call: Omit<CallRecord, 'seq' | 'messageSeq' | 'status'>): void {
    const seq = this.nextSeq++
    let messageSeq = seq - 1
    while (this.#entries[messageSeq]?.kind === 'call') messageSeq--
    const record: CallRecord = { ...call, seq, messageSeq, status: 'new' }
    this.#add({ kind: 'call', seq, call: record })
    if (isOpen(record)) this.#openSlots++
  }

  #setResult(callId: string, result: CallResult): void {
    this.#replace({ ...this.requireCall(callId), result })
  }

  #suspend(callId: string, suspension: Suspension): void {
    const call = this.requireCall(callId)
    if (call.suspension?.id !== suspension.id) this.#replace({ ...call, suspension })
  }

  #amend(callId: string, text: string): void {
    const call = this.requireCall(callId)
    if (call.result === undefined) return
    this.#replace({
      ...call,
      result: { ...call.result, content: [...call.result.content, { type: 'text', text }] },
    })
  }

  /**
   * The result is told again as a record of its own, and a note points at it; where no answer
   * has followed, nobody has read the placeholder and the result takes its slot.
   */
  #publish(callId: string, now: number): void {
    const { placeholder: _, ...call } = this.requireCall(callId)
    if (call.result === undefined) return
    if (!this.#isAnsweredAfter(call.seq)) {
      this.#replace(call)
      this.#listener.message(call.seq, call.result)
      return
    }
    this.#append(call.result, call.seq)
    this.#append(lateResultNote(call, now))
  }

  #isAnsweredAfter(seq: number): boolean {
    return this.#entries.slice(seq).some((entry) => entry?.kind === 'message' && entry.message.role === 'assistant')
  }

  #applyPatch(callId: string): void {
    const { patch, ...call } = this.requireCall(callId)
    if (patch === undefined) return
    this.#replace(call)
    this.#setState(applyChanges(this.#state, patch))
  }

  #setState(state: Json): void {
    this.#add({ kind: 'state', seq: this.nextSeq++, state })
    this.#listener.stateChanged(this.#state)
  }

  #add(entry: LogEntry): void {
    this.#index(freezeDeep(entry))
    this.#uncommitted.push(entry)
  }

  #index(entry: LogEntry): void {
    this.#entries[entry.seq] = entry
    if (entry.kind === 'call') this.#slots.set(entry.call.callId, entry.seq)
    if (entry.kind === 'message' && entry.replaces !== undefined) {
      this.#replaced.set(entry.replaces, entry.message)
      this.#transcript.changed(entry.replaces)
    }
    if (entry.kind === 'state') this.#state = entry.state
  }

  #replace(call: CallRecord): void {
    const before = this.requireCall(call.callId)
    const entry: LogEntry = freezeDeep({ kind: 'call', seq: call.seq, call })
    this.#openSlots += Number(isOpen(call)) - Number(isOpen(before))
    this.#entries[call.seq] = entry
    this.#transcript.changed(call.seq)
    const index = this.#uncommitted.findIndex((uncommitted) => uncommitted.seq === call.seq)
    if (index >= 0) this.#uncommitted[index] = entry
    else this.#touched.add(call.callId)
    if (call.result !== undefined && before.result === undefined && call.placeholder !== true) {
      this.#listener.message(call.seq, call.result)
    }
    if (call.status !== before.status) this.#listener.callChanged(call.callId)
  }
}

/** What the log takes in belongs to nobody else. */
function ours<Value>(value: Value): Value {
  const copy = frozenCopy(value)
  if (copy === undefined) throw new EngineError('The log of a run was handed a value that is not JSON.')
  return copy
}

function isOpen(call: CallRecord): boolean {
  return call.result === undefined && call.placeholder !== true
}
