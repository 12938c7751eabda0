import { type CallRecord, type CallResult, hasOpenSlot, isTerminal, settlesWithoutResult } from '../domain/call.ts'
import { EngineError } from '../domain/engine-error.ts'
import { asCarried, lastNamedTurn } from '../domain/carried.ts'
import { freezeDeep, type Json, type Owned } from '../domain/text/json.ts'
import type { LogEntry, ValueName, Write } from '../domain/log.ts'
import { type AssistantMessage, isAnswer, type Message } from '../domain/message.ts'
import type { CheckpointName } from '../domain/outcome.ts'
import { type GivenInput, inputAt, noPayloads, type Payloads, saidBy } from '../domain/payload.ts'
import type { EffectResult, RunView } from '../ports/effect-handler.ts'
import { filledEntries, isBareEntry } from './fill-log.ts'
import { applyWrite, own, type WrittenLog } from './apply-write.ts'
import { Change } from './change.ts'
import { beforeTurns, LogMarks } from './log-marks.ts'
import { costIn, hasPlace, shownMessage, Transcript } from './transcript.ts'
import { type Appending, UnpublishedResults } from './unpublished-results.ts'

/**
 * A run's log in memory: the stored entries, and those of the next commit, which are numbered at once and added to the
 * change. All entries are frozen. Entries up to `carried` belong to the continued run: the transcript begins with them,
 * but methods about the run's own part skip them.
 */
export class RunLog implements WrittenLog {
  #entries: LogEntry[] = []
  readonly #slots = new Map<string, number>()
  readonly #transcript = new Transcript()
  readonly #values = new Map<ValueName, Json>()
  #state: Json = freezeDeep({})
  #openSlots = 0
  #nextSeq = 1
  readonly #unpublished = new UnpublishedResults()
  /** True while bytes of large media are in the store alone. */
  isBare = false
  readonly change: Change
  /** The events that no other entry holds. */
  readonly marks: LogMarks
  readonly #carried: number
  readonly #payloads: Payloads
  /** The highest turn that calls of the carried entries are named by. */
  readonly carriedTurns: number

  constructor(log: readonly LogEntry[], nextSeq: number, change = new Change(), carried = 0, payloads = noPayloads) {
    this.change = change
    this.marks = new LogMarks(change, () => this.#nextSeq++)
    this.#carried = carried
    this.#payloads = payloads
    this.carriedTurns = carried === 0 ? 0 : lastNamedTurn(log.filter(({ seq }) => seq <= carried))
    this.goBack(log, nextSeq)
  }

  /** Resets the log to the stored entries. */
  goBack(log: readonly LogEntry[], nextSeq: number): void {
    this.#entries = []
    this.marks.standing = beforeTurns
    for (const known of [this.#slots, this.#values, this.#unpublished]) known.clear()
    this.#state = freezeDeep({})
    this.marks.prefix = undefined
    this.#transcript.changed(0)
    for (const entry of asCarried(log, this.#carried))
      if (entry.kind !== 'checkpoint' && entry.kind !== 'mark') this.#index(own(entry))
    this.isBare = log.some(isBareEntry)
    this.#nextSeq = nextSeq
    this.#openSlots = this.calls().filter(hasOpenSlot).length
  }

  /** Adds the bytes that its messages lack, from the same log as the store has it completely. */
  fill(whole: readonly LogEntry[]): void {
    this.isBare = false
    for (const entry of filledEntries(this.#entries, whole)) this.#index(own(entry))
  }

  /** The sequence number the next appended entry gets. */
  get nextSeq(): number {
    return this.#nextSeq
  }

  get state(): Json {
    return this.#state
  }

  /** The latest value of this name; of `output` only one that belongs to the last answer. */
  value(name: ValueName): Json | undefined {
    return this.#values.get(name)
  }

  /** The stored input of the run. */
  get given(): GivenInput {
    return this.#payloads.input
  }

  /** The messages the run begins with, as far as they are not in the transcript. */
  readonly inputAt: RunView['inputAt'] = (place) => inputAt(place, this.given, this.value('prompt'))

  /** Returns the messages of a head, with the filters' warnings. */
  readonly said: RunView['said'] = (head) => saidBy(head, this.#payloads)

  /** The number of calls with neither result nor placeholder; no transcript is read while it is not 0. */
  get openSlots(): number {
    return this.#openSlots
  }

  call(callId: string): CallRecord | undefined {
    const entry = this.#entries[this.#slots.get(callId) ?? -1]
    return entry?.kind === 'call' ? entry.call : undefined
  }

  requireCall(callId: string): CallRecord {
    const call = this.call(callId)
    if (call === undefined) throw new Error(`No call "${callId}" in the log of this run.`)
    return call
  }

  calls(): readonly CallRecord[] {
    return Array.from(this.#slots.keys(), (callId) => this.requireCall(callId))
  }

  readonly spent: RunView['spent'] = () => costIn(this.#entries.slice(this.#carried + 1))
  message(seq: number): Message | undefined {
    const entry = this.#entries[seq]
    return entry?.kind === 'message' ? entry.message : undefined
  }

  /** Returns the places of the run's own messages in the transcript, without calls that have no result. */
  places(): readonly number[] {
    return this.#entries.slice(this.#carried + 1).flatMap((entry) => (hasPlace(entry) ? entry.seq : []))
  }

  /** Sequence number of the run's own last answer. */
  lastAnswerSeq(): number | undefined {
    const last = this.#entries.findLast((entry) => entry?.kind === 'message' && entry.message.role === 'assistant')
    return last !== undefined && last.seq > this.#carried ? last.seq : undefined
  }

  lastAnswer(): AssistantMessage | undefined {
    const message = this.message(this.lastAnswerSeq() ?? 0)
    return message?.role === 'assistant' ? message : undefined
  }

  /** Every entry in order, without marks and checkpoints. */
  entries(): readonly LogEntry[] {
    return this.#entries.filter((entry) => entry !== undefined)
  }

  /** The transcript in order, each slot showing its result, a late one in the placeholder's place. */
  messages(): readonly Message[] {
    return this.#transcript.from(this.#entries, shownMessage)
  }

  /** Returns how many first messages an earlier list shares with the last one; undefined for another list. */
  readonly keptOf: RunView['keptOf'] = (messages) => this.#transcript.keptOf(messages)

  /** Returns true if an answer follows an entry in the transcript, so that its author has read the entry. */
  isReadByAnswer(seq: number): boolean {
    return this.#entries.slice(seq).some((entry) => entry?.kind === 'message' && entry.message.role === 'assistant')
  }

  /** Returns true if a successful answer follows an entry. */
  isAnswered(seq: number): boolean {
    return this.#entries.slice(seq).some((entry) => entry?.kind === 'message' && isAnswer(entry.message))
  }

  /** Applies the writes of an effect or a chart. */
  apply(writes: readonly Write[], now: number): void {
    for (const write of writes) applyWrite(this, write, now)
  }

  /** Adds the result of an effect, and returns the part that its chart receives. */
  take({ output, writes = [] }: EffectResult<unknown>, now: number): unknown {
    const firstSeq = this.#nextSeq
    this.apply(writes, now)
    return typeof output === 'function' ? output(firstSeq) : output
  }

  /** Appends a message; `place` is the slot of the call whose result it is. The message must be the log's own, or new. */
  append(message: Message, now: number, { place, prefixShare }: Appending = {}): number {
    this.marks.markCalls(now)
    const seq = this.#nextSeq++
    if (prefixShare !== undefined) this.marks.prefix = { seq, share: prefixShare }
    const turn = this.marks.turnOf(message)
    this.#add({ kind: 'message', seq, message, at: now, turn, ...(place === undefined ? {} : { place }) })
    if (message.role === 'assistant') this.marks.noteAnswer(seq)
    return seq
  }

  /** Reserves a slot for the result of one call of the message appended before. */
  reserve(call: Omit<CallRecord, 'seq' | 'messageSeq' | 'status'>): void {
    const seq = this.#nextSeq++
    const before = this.#entries[seq - 1]
    if (before === undefined && call.isHold !== true)
      throw new EngineError(`The slot of call "${call.callId}" does not follow its answer.`)
    const messageSeq = before?.kind === 'call' ? before.call.messageSeq : seq - 1
    const record: CallRecord = { ...call, seq, messageSeq, status: 'new' }
    this.#add({ kind: 'call', seq, call: record })
    if (hasOpenSlot(record)) this.#openSlots++
  }

  /** Replaces a call's record. Drops the steps of a call that has settled. */
  replace({ steps, ...given }: CallRecord): void {
    const call: CallRecord = steps === undefined || isTerminal(given.status) ? given : { ...given, steps }
    const before = this.requireCall(call.callId)
    if (before.resultSeq !== undefined && call.result !== before.result)
      throw new EngineError(`The result of call "${call.callId}" was changed after it had been published.`)
    const entry: Owned<LogEntry> = freezeDeep({ kind: 'call', seq: call.seq, call })
    this.#openSlots += Number(hasOpenSlot(call)) - Number(hasOpenSlot(before))
    this.#index(entry)
    const index = this.#indexOfAppended(call.seq)
    if (index >= 0) this.change.append[index] = entry
    else (this.change.touched ??= new Set()).add(call.callId)
    const isEmitted = isTerminal(call.status) || call.status === 'suspended'
    if (isEmitted && call.status !== before.status) this.marks.noteMoved(call)
  }

  /** Notes a name for the commit, which publishes the results that wait. */
  checkpoint(name: CheckpointName, now: number): void {
    this.change.names.push(name)
    this.marks.markCalls(now)
    this.publish(now)
  }

  /** Publishes all results that wait, in the order of their slots. */
  publish(now: number): void {
    for (const seq of this.#unpublished.slots()) {
      const entry = this.#entries[seq]
      if (entry?.kind === 'call' && entry.call.result !== undefined)
        this.publishResult(entry.call, entry.call.result, now)
    }
  }

  /** Appends the result of a call as an entry that the slot of the call shows. */
  publishResult(call: CallRecord, result: CallResult, now: number): void {
    const resultSeq = this.append(result, now, { place: call.seq })
    this.replace({ ...call, resultSeq })
  }

  setStatus(callId: string, status: CallRecord['status']): void {
    const call = this.call(callId)
    if (call !== undefined && call.status !== status) this.replace({ ...call, status })
  }

  /** A later state of one commit takes the place of the one before. */
  setState(state: Json, now: number): void {
    const { append } = this.change
    const index = append.findIndex(({ kind }) => kind === 'state')
    if (index < 0) this.marks.markCalls(now)
    const seq = append[index]?.seq ?? this.#nextSeq++
    const entry = freezeDeep({ kind: 'state' as const, seq, state, at: now })
    append[index < 0 ? append.length : index] = entry
    this.#index(entry)
  }

  setValue(name: ValueName, value: Json, now: number): void {
    const isEmitted = name === 'compaction'
    if (isEmitted) this.marks.markCalls(now)
    const emitted = isEmitted ? { at: now, turn: this.marks.standing.turn } : {}
    this.#add({ kind: 'value', seq: this.#nextSeq++, name, value, ...emitted })
  }

  /** A call that settles with the next commit without a result. */
  findWithoutResult(): CallRecord | undefined {
    for (const entry of this.change.append)
      if (entry.kind === 'call' && settlesWithoutResult(entry.call)) return entry.call
    return this.touched().find(settlesWithoutResult)
  }

  /** Returns calls whose stored entries are outdated. */
  touched(): readonly CallRecord[] {
    return Array.from(this.change.touched ?? [], (callId) => this.requireCall(callId))
  }

  /** The next entry gets this number: those before it went into a commit. */
  goOnAt(nextSeq: number): void {
    this.#nextSeq = nextSeq
  }

  /** Entries of the next commit are numbered without gaps. */
  #indexOfAppended(seq: number): number {
    const [first] = this.change.append
    return first === undefined || seq < first.seq ? -1 : seq - first.seq
  }

  #add(entry: LogEntry): void {
    this.#index(freezeDeep(entry))
    this.change.append.push(entry)
  }

  #index(entry: Owned<LogEntry>): void {
    this.#entries[entry.seq] = entry
    this.#transcript.changed(entry.seq)
    if (entry.kind === 'call') {
      this.#slots.set(entry.call.callId, entry.seq)
      this.#unpublished.note(entry.call)
    }
    if (entry.kind === 'state') this.#state = entry.state
    if (entry.kind === 'value') this.#values.set(entry.name, entry.value)
    if (entry.kind === 'message' && entry.message.role === 'assistant') this.#values.delete('output')
  }
}
