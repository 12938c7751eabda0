import type { AgentEventBody } from '../domain/event.ts'
import { carriedIn } from '../domain/carried.ts'
import { type InboxRow, saidIn } from '../domain/inbox.ts'
import type { GivenInput, Payloads } from '../domain/payload.ts'
import { detailsIn } from '../domain/run-details.ts'
import { originOf } from '../domain/run-origin.ts'
import { defined } from '../domain/text/json.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import { Change, type PendingEffect } from './change.ts'
import { decodeRun, type LoadedDocument } from './document.ts'
import type { DriveOptions } from './drive-options.ts'
import { EffectRunner } from './effect-runner.ts'
import type { Inspect } from '../ports/inspect.ts'
import type { StoredRun } from '../ports/store.ts'
import type { RunTrace } from '../ports/tracer.ts'
import type { HeldLease } from './held-lease.ts'
import { ignoreThrows } from '../domain/ignore-throws.ts'
import { InboxReader } from './inbox-reader.ts'
import { type LastingParts, LiveRun, type StoredHead } from './live-run.ts'
import { wokenEvent } from './chart-events.ts'
import { RunLog } from './run-log.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'
import { type ActorState, isMachineState, type MachineState } from '../step/actor-state.ts'
import type { ActorChange } from '../step/step-system.ts'
import { Stepper, type StepperOptions } from './stepper.ts'

/** The callbacks of a load. */
export interface LoadHooks {
  /** See `StepOptions.keyFor`. */
  readonly keyFor: StepperOptions['keyFor']
  readonly heldLease: HeldLease
  /** Called for each effect that finishes. */
  readonly wake: () => void
  /** The earlier state of the run in this process; its log, inbox and effects return to the last commit. */
  readonly before: LiveRun | undefined
  /** The time until which the run was driven, according to the store. Default: unknown. */
  readonly awakeUntil: number | undefined
  /** Rows of the inbox that the state of the run may name. */
  readonly said: readonly InboxRow[]
  /** Traces the effects. */
  readonly trace: RunTrace | undefined
}

/** Loads a stored run into memory. */
export function loadRun(
  stored: StoredRun,
  options: DriveOptions,
  { keyFor, heldLease, wake, before, awakeUntil, said, trace }: LoadHooks,
): LiveRun {
  const { lease, charts, clock, emit: emitWhole } = options
  const origin = originOf(lease.runId, stored.record.agent, stored.input, stored.record.forkedFrom)
  const { subject } = origin
  const emit = (event: AgentEventBody) => emitWhole({ ...event, subject })
  const input = options.machineInput(stored.input)
  const loaded = decodeRun(stored, charts.defaults(input), charts.migrations)
  const nextSeq = loaded?.nextSeq ?? 1
  const takenIn = before?.change.takenIn ?? []
  const lasting =
    before?.goBack(stored.log, nextSeq) ??
    openLasting(stored, options, { input, nextSeq, said, wake, emit, heldLease, trace })
  const { change, inbox, log } = lasting
  checkQueued(lease.runId, charts, loaded, inbox)
  const stepper = openStepper(lease.runId, {
    charts,
    input,
    ...snapshotOf(loaded),
    keyFor,
    change,
    told: {
      record: (writes) => log.apply(writes, clock.now()),
      announce: (announcement) => log.marks.announce(announcement, clock.now()),
      checkpoint: (name) => log.checkpoint(name, clock.now()),
    },
    setStatus: (callId, status) => log.setStatus(callId, status),
    ...(options.inspect === undefined ? {} : { inspect: inspectRun(options.inspect, lease.runId) }),
  })
  const live = new LiveRun({
    ...lasting,
    stepper,
    head: headOf(stored, loaded),
    origin,
    emit,
    lastSeq: nextSeq - 1,
  })
  if (loaded?.snapshot !== undefined) {
    log.marks.standing = charts.turnAt(stepper.value, stepper.context, log)
    // No chart has made the first commit of a fork, so that the fork's own first commit announces the start.
    if (stored.record.forkedFrom !== undefined && stored.record.version === 1)
      log.marks.announce({ type: 'run.started' }, clock.now())
    live.stepper.send(wokenEvent(clock.now(), awakeUntil))
    const held = new Set(takenIn.map((one) => (one.kind === 'result' ? one.key : '')))
    recoverEffects(live, clock.now(), { held, known: before?.stepper.outbox })
  }
  return live
}

/** The dependencies of the lasting parts. */
interface LastingOptions extends Pick<LoadHooks, 'said' | 'wake' | 'heldLease' | 'trace'> {
  readonly input: unknown
  readonly nextSeq: number
  readonly emit: (event: AgentEventBody) => void
}

function openLasting(
  stored: StoredRun,
  { store, lease, clock, handlers, ids, grantsFor, accountFor }: DriveOptions,
  { input, nextSeq, said, wake, emit, heldLease, trace }: LastingOptions,
): LastingParts {
  const change = new Change()
  const inbox = new InboxReader(store, lease.runId, said)
  const log = new RunLog(stored.log, nextSeq, change, carriedIn(stored.input), payloadsOf(input, inbox))
  const decision = (decisionId: string) => inbox.decision(decisionId)
  // A decision made in time is read before a due timer is processed.
  const finished = (src: string) => {
    if (handlers[src]?.due !== undefined) inbox.expire()
    wake()
  }
  const run = detailsIn(lease.runId, stored.input)
  const grants = grantsFor?.(stored.record.agent, run, stored.input)
  const account = accountFor?.(lease.runId, stored.input)
  const shared = { handlers, view: log, decision, clock, ids, emit, finished }
  const runner = new EffectRunner({ ...shared, run, lease: heldLease, ...defined({ grants, account, trace }) })
  return { change, inbox, log, runner }
}

/** Adds the run to inspected events. Each event is new, so it is not copied. */
function inspectRun(inspect: Inspect, runId: string): Inspect {
  const see = ignoreThrows(inspect)
  return (event) => see(Object.assign(event, { runId }))
}

/** The dependencies of a trial load, whose results are discarded. */
export type TryOptions = Pick<DriveOptions, 'charts' | 'machineInput' | 'clock'>

/** A stored run as it would continue. */
export interface TriedRun {
  readonly log: RunLog
  /** The snapshots of its charts. */
  readonly state: MachineState
  /** Effects that its charts wait for. */
  readonly wanted: readonly PendingEffect[]
}

/** Loads a stored run and discards it: throws what a drive would throw, and performs nothing. */
export function tryRun(
  stored: StoredRun,
  { charts, machineInput, clock }: TryOptions,
  said: readonly InboxRow[],
): TriedRun {
  const { id } = stored.record
  const input = machineInput(stored.input)
  const loaded = decodeRun(stored, charts.defaults(input), charts.migrations)
  const rows = new Map(said.map((row) => [row.id, saidIn(row)]))
  const inbox = { said: (row: number) => rows.get(row) }
  checkQueued(id, charts, loaded, inbox)
  const payloads = payloadsOf(input, inbox)
  const log = new RunLog(stored.log, loaded?.nextSeq ?? 1, undefined, carriedIn(stored.input), payloads)
  const stepper = openStepper(id, {
    charts,
    input,
    ...snapshotOf(loaded),
    keyFor: (key) => key ?? `${id}/tried`,
    told: { record: (writes) => log.apply(writes, clock.now()), announce: () => {}, checkpoint: () => {} },
    setStatus: (callId, status) => log.setStatus(callId, status),
  })
  stepper.send(wokenEvent(clock.now()))
  if (stepper.failure !== undefined) throw unreadable(id, stepper.failure)
  return { log, state: stepper.state, wanted: [...stepper.outbox.values()] }
}

/** Returns the messages and the input that the chart's heads refer to. */
function payloadsOf(input: unknown, inbox: Pick<InboxReader, 'said'>): Payloads {
  return { input: input as GivenInput, said: (id) => inbox.said(id) ?? [] }
}

/** Throws if a row that the queue refers to is missing: no message is lost in silence. */
function checkQueued(
  runId: string,
  charts: DriveOptions['charts'],
  loaded: LoadedDocument | undefined,
  inbox: Pick<InboxReader, 'said'>,
): void {
  if (loaded?.snapshot === undefined) return
  const lost = charts.queuedRows(loaded.snapshot.context).find((row) => inbox.said(row) === undefined)
  if (lost !== undefined) throw new SnapshotError(runId, `row ${lost} of its inbox, which its queue names, is missing`)
}

function snapshotOf(loaded: LoadedDocument | undefined): Pick<StepperOptions, 'snapshot'> {
  return loaded?.snapshot === undefined ? {} : { snapshot: loaded.snapshot }
}

/** A chart that has not begun has no stored state, whether or not the log has entries. */
function headOf(stored: StoredRun, loaded: LoadedDocument | undefined): StoredHead {
  const { record, input, continues } = stored
  const { version, status } = record
  const head = { version, input, continues, session: stored.record.session }
  return loaded?.snapshot === undefined
    ? { ...head, status: undefined, timers: '[]' }
    : { ...head, status, timers: undefined }
}

/** Effects that this process knows better than the store. */
interface KnownEffects {
  /** The keys of effects whose results come next. */
  readonly held: ReadonlySet<string>
  /** The effects that were wanted before the return, with their progress. */
  readonly known: ReadonlyMap<string, PendingEffect> | undefined
}

/** Sends known results of restored effects before everything else. */
function recoverEffects(live: LiveRun, now: number, { held, known }: KnownEffects): void {
  const { stepper, runner } = live
  for (const effect of [...stepper.outbox.values()]) {
    const { key } = effect
    const before = known?.get(key)
    if (before !== undefined) {
      const { isLaunched, isRestored } = before
      stepper.outbox.set(key, { ...effect, isLaunched, isRestored })
    } else if (!held.has(key)) {
      const result = runner.recovered(effect)
      if (result !== undefined) live.complete(key, result, now)
    }
  }
}

function openStepper(runId: string, options: StepperOptions): Stepper {
  const { snapshot } = options
  if (snapshot !== undefined) return restoredStepper(runId, options, snapshot)
  const stepper = new Stepper(options)
  stepper.start()
  return stepper
}

/** Throws a `SnapshotError` with the first cause if the charts reject the snapshot. */
function restoredStepper(runId: string, options: StepperOptions, snapshot: MachineState): Stepper {
  let cause: unknown
  const onChange = (change: ActorChange) => {
    if (change.kind === 'leftOut') cause ??= change.cause
  }
  const stepper = new Stepper({ ...options, onChange })
  try {
    stepper.start()
  } catch (thrown) {
    throw unreadable(runId, thrown)
  }
  if (stepper.failure !== undefined) throw unreadable(runId, stepper.failure)
  const kept = new Set(liveIds(stepper.state))
  const dropped = liveIds(snapshot).filter((id) => !kept.has(id))
  if (dropped.length === 0) return stepper
  const why = cause === undefined ? '' : ` (${thrownText(cause)})`
  throw new SnapshotError(runId, `the charts do not know its actors ${dropped.join(', ')}${why}`, { cause })
}

function unreadable(runId: string, cause: unknown): SnapshotError {
  return new SnapshotError(runId, `the charts reject its state (${thrownText(cause)})`, { cause })
}

/** The interpreter drops an actor with unknown logic without an error. */
function liveIds(actor: ActorState, path = ''): readonly string[] {
  if (!isMachineState(actor)) return []
  return Object.entries(actor.children).flatMap(([id, { snapshot }]) => {
    const own = `${path}${id}`
    return snapshot.status === 'active' ? [own, ...liveIds(snapshot, `${own}/`)] : []
  })
}
