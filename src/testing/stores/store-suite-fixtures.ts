import assert from 'node:assert/strict'
import type { CallRecord } from '../../core/domain/call.ts'
import type { Decision } from '../../core/domain/decision.ts'
import type { LogEntry } from '../../core/domain/log.ts'
import { type Message, userMessage } from '../../core/domain/message.ts'
import { StoreError, type StoreErrorCode } from '../../core/domain/store-error.ts'
import { currentOwner, isAliveHere, type Owner } from '../../core/domain/owner.ts'
import { startOf } from '../../core/domain/this-process.ts'
import type { Commit, CommitReceipt, CommitRefused, Lease, NewRun, Store } from '../../core/ports/store.ts'
import type { RunRecord } from '../../core/domain/run-record.ts'

/** A new, empty store, with the resources that the suite needs from its caller. */
export interface StoreUnderTest {
  readonly store: Store
  /** Returns an owner that was a process of this host and has ended. */
  readonly deadOwner: (id: string) => Owner
  /** Closes the store and removes its data. */
  dispose(): Promise<void>
}

/** The clock of the leases of a store under test; a case sets it. */
export interface LeaseClock {
  now(): number
  /** Sets the clock to Unix milliseconds, forward or backward. */
  set(at: number): void
}

/** The parts of a case. */
export interface CaseParts extends StoreUnderTest {
  readonly clock: LeaseClock
}

/** One case of the suite: its name, a sentence, and its body, which receives a new store. */
export type StoreCase = readonly [name: string, run: (under: CaseParts) => Promise<void>]

/** Returns a clock that stays at `start` until it is set. */
export function leaseClock(): LeaseClock {
  let time = start
  return {
    now: () => time,
    set: (at) => {
      time = at
    },
  }
}

/** The lifetime of every lease in the suite, in milliseconds. */
export const ttl = 1000

/** The time at which the suite creates runs, in Unix milliseconds. */
export const start = 1_700_000_000_000

/** Returns an owner on another host, so that only expiry or release can end its lease. */
export function ownerNamed(id: string): Owner {
  return { id, host: 'host-elsewhere', pid: 4711, pidStart: '12345' }
}

/**
 * Returns an owner that is another living process of this host: the parent of this process. Returns undefined if the
 * host does not report processes.
 */
export function livingOwner(id: string): Owner | undefined {
  const owner = { ...currentOwner(id), pid: process.ppid, pidStart: startOf(process.ppid)?.start ?? '' }
  return isAliveHere(owner) ? owner : undefined
}

/** Returns a new run to store. */
export function newRun(id: string, changes: Partial<NewRun> = {}): NewRun {
  return { id, agent: 'guide', input: { prompt: 'Weather in Oslo?' }, at: start, ...changes }
}

/** Returns a user message with one text. */
export function message(text: string): Message {
  return userMessage(text, start)
}

/** Returns the call record of slot `seq`; its default status is `running`. */
export function call(seq: number, changes: Partial<CallRecord> = {}): CallRecord {
  return {
    seq,
    callId: `call-${seq}`,
    toolCallId: `provider-${seq}`,
    toolName: 'weather',
    messageSeq: 1,
    status: 'running',
    revision: 0,
    resumeMode: 'replay',
    ...changes,
  }
}

/** Returns a suspended call of slot `seq`. */
export function suspendedCall(seq: number, suspensionId: string, changes: Partial<CallRecord> = {}): CallRecord {
  return call(seq, { status: 'suspended', suspension: { id: suspensionId, reason: 'approval' }, ...changes })
}

/** The changes of a commit of the suite's driver; entries get the next sequence numbers. */
export interface Change extends Partial<Omit<Commit, 'append' | 'runId' | 'owner' | 'fence' | 'expectedVersion'>> {
  readonly entries?: readonly ((seq: number) => LogEntry)[]
}

/** A driver of one run by hand, which tracks the next version and sequence number. */
export interface Driver {
  readonly lease: Lease
  readonly version: number
  /** Returns the commit that `commit` would make, for cases that modify it. */
  readonly plan: (change?: Change) => Commit
  readonly commit: (change?: Change) => Promise<CommitReceipt | CommitRefused>
}

/** Returns the record of a run, without what says whether it is driven. */
export async function recordOf(store: Store, runId: string): Promise<RunRecord> {
  const { isDriven: _, ...record } = await store.record(runId)
  return record
}

/** Creates a run and returns its driver. */
export async function createDriver(store: Store, id: string, changes: Partial<NewRun> = {}): Promise<Driver> {
  return driverOf(store, await store.create(newRun(id, changes), ownerNamed('first'), ttl))
}

/** Claims an unfinished run for an owner and returns its lease. */
export async function claimed(store: Store, owner: Owner): Promise<Lease> {
  const { lease } = await store.claim('run', owner, ttl)
  return lease ?? assert.fail('expected a lease')
}

/** Returns a driver that commits under the given lease. */
export function driverOf(store: Store, lease: Lease, from = { version: 0, seq: 0 }): Driver {
  let { version, seq } = from
  const plan = ({ entries = [], ...change }: Change = {}): Commit => {
    const append = entries.map((entry, index) => entry(seq + 1 + index))
    const document = append.some((entry) => entry.kind === 'checkpoint') ? null : `{"version":${version + 1}}`
    return {
      runId: lease.runId,
      owner: lease.owner.id,
      fence: lease.fence,
      expectedVersion: version,
      at: start + version + 1,
      status: 'running',
      append,
      calls: [],
      document,
      consumed: [],
      ...change,
    }
  }
  return {
    lease,
    get version() {
      return version
    },
    plan,
    async commit(change) {
      const commit = plan(change)
      const receipt = await store.commit(commit)
      if ('version' in receipt) {
        version = receipt.version
        seq += commit.append.length
      }
      return receipt
    },
  }
}

/** Returns a steering message, as it is posted to a run. */
export function steering(text: string) {
  return { kind: 'steer', messages: [userMessage(text, 1)] } as const
}

/** Returns an entry with a message. */
export function says(text: string): (seq: number) => LogEntry {
  return (seq) => ({ kind: 'message', seq, message: message(text) })
}

/** Returns an entry with a call slot. */
export function slot(record: (seq: number) => CallRecord): (seq: number) => LogEntry {
  return (seq) => ({ kind: 'call', seq, call: record(seq) })
}

/** Returns an entry with a checkpoint. */
export function checkpoint(document: string, at = start): (seq: number) => LogEntry {
  return (seq) => ({ kind: 'checkpoint', seq, names: ['AssistantTurnCommitted'], document, at })
}

/** Asserts that the work rejects with a `StoreError` of that code whose message names the run. */
export async function rejectsWith(code: StoreErrorCode, runId: string, work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    (value) => assert.fail(`expected ${code}, got ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof StoreError, `expected a StoreError of code ${code}, got ${String(error)}`)
  assert.equal(error.code, code)
  assert.ok(error.message.includes(runId), `expected the message to name "${runId}": ${error.message}`)
}

/** Returns all data of a run that a rejected commit must not change. */
export async function everythingOf(store: Store, runId: string): Promise<unknown> {
  return {
    run: await store.read(runId),
    calls: await store.calls(runId),
    checkpoints: await store.checkpoints(runId),
    inbox: await store.inbox(runId, { isOpen: true }),
    decisions: await store.inbox(runId, { kinds: ['decision'] }),
    due: await store.due(Number.MAX_SAFE_INTEGER),
  }
}

/** Creates a run whose log has exactly these calls; its default id is `run`. */
export async function runWith(store: Store, calls: readonly CallRecord[], id = 'run'): Promise<Driver> {
  const driver = await createDriver(store, id)
  await driver.commit({ entries: calls.map((record) => slot(() => record)) })
  return driver
}

/** Returns the answers of `decide` to these decisions at the suite's start time. */
export async function answers(store: Store, decisions: readonly Decision[]): Promise<readonly string[]> {
  return (await store.decide('run', decisions, start)).map(({ answer }) => answer)
}

/** Commits a change that consumes all rows of the inbox. */
export async function consumeAll(store: Store, driver: Driver, change: Change): Promise<void> {
  await driver.commit({ ...change, consumed: (await store.inbox('run', { isOpen: true })).map(({ id }) => ({ id })) })
}
