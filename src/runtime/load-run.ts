import { decodeRun } from './document.ts'
import type { DriveOptions } from './drive-options.ts'
import type { EffectKeys } from './effect-keys.ts'
import { EffectRunner } from './effect-runner.ts'
import { InboxReader } from './inbox-reader.ts'
import { LiveRun, type StoredHead } from './live-run.ts'
import { openStepper } from './open-stepper.ts'
import { PendingEvents } from './pending-events.ts'
import { wokenEvent } from './run-events.ts'
import { RunLog } from './run-log.ts'
import { runView } from './run-view.ts'
import type { RunRecord } from '../domain/run-record.ts'

/** Reads a run from the store and brings it to life; `wake` is told of each effect that finishes. */
export async function loadRun(options: DriveOptions, keys: EffectKeys, wake: () => void): Promise<LiveRun> {
  const { store, lease, charts, clock, handlers, ids, emit } = options
  const stored = await store.read(lease.runId)
  const input = options.machineInput(stored.input)
  const loaded = decodeRun(stored, charts.defaults(input))
  const events = new PendingEvents()
  const log = new RunLog(stored.log, loaded?.nextSeq ?? 1, events)
  const inbox = new InboxReader(store, lease.runId)
  const view = runView(log, (decisionId) => inbox.decision(decisionId))
  // A decision made in time is read before a timer that has come due is taken in.
  const finished = (src: string) => {
    if (handlers[src]?.due !== undefined) inbox.expire()
    wake()
  }
  const runner = new EffectRunner({ runId: lease.runId, handlers, view, clock, ids, emit, finished })
  const stepper = openStepper(lease.runId, {
    charts,
    input,
    ...(loaded === undefined ? {} : { snapshot: loaded.snapshot }),
    keyFor: (restored) => keys.keyFor(restored),
    record: (writes) => log.apply(writes, clock.now()),
    announce: (announcement) => events.announce(announcement),
    setStatus: (callId, status) => log.setStatus(callId, status),
    ...(options.inspect === undefined ? {} : { inspect: options.inspect }),
  })
  const live = new LiveRun({ stepper, log, events, inbox, runner, head: headOf(stored.record) })
  if (loaded !== undefined) wakeUp(live, clock.now())
  return live
}

function headOf({ version, status }: RunRecord): StoredHead {
  return version === 0 ? { version, status: undefined, timers: '[]' } : { version, status, timers: undefined }
}

/** What is known of restored effects without performing them comes before everything else. */
function wakeUp(live: LiveRun, now: number): void {
  live.stepper.send(wokenEvent(now))
  for (const effect of [...live.stepper.outbox.values()]) {
    const result = live.runner.recovered(effect)
    if (result !== undefined) live.complete(effect.key, result, now)
  }
}
