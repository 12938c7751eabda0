import type { LogEntry } from '../../core/domain/log.ts'
import { textOf } from '../../core/domain/message.ts'
import type { NewRun, Store } from '../../core/ports/store.ts'
import { call, checkpoint, type Driver, driverOf, newRun, ownerNamed, says, slot, ttl } from './store-suite-fixtures.ts'

/** A run that is stored at once, with its messages. */
export interface DoneRun extends Partial<NewRun> {
  readonly says: readonly string[]
}

/** Stores a finished run: a message and a settled call per text, a state document after two, and a checkpoint. */
export async function done(store: Store, id: string, { says: said, ...changes }: DoneRun): Promise<void> {
  const { lease, commit } = await goOn(store, id, changes.continues, changes)
  const entries = said.flatMap((text) => [
    says(text),
    slot((seq) => call(seq, { status: 'succeeded', messageSeq: seq - 1 })),
  ])
  const state = (seq: number): LogEntry => ({ kind: 'state', seq, state: { of: id } })
  const last = said.length > 1 ? [] : [state]
  await commit({ entries: [...entries, ...last, checkpoint(`"${id}"`)], status: 'done' })
  await store.release(lease)
}

/** Creates a run that continues another run, and returns its driver. */
export async function goOn(
  store: Store,
  id: string,
  continues: NewRun['continues'],
  changes: Partial<NewRun> = {},
): Promise<Driver> {
  const run = newRun(id, { ...changes, ...(continues === undefined ? {} : { continues }) })
  const lease = await store.create(run, ownerNamed('first'), ttl)
  const { continues: begun } = await store.read(id)
  return driverOf(store, lease, { version: 0, seq: begun?.seq ?? 0 })
}

/** Returns the texts of the messages in a log. */
export function texts({ log }: { readonly log: readonly LogEntry[] }): readonly string[] {
  return log.flatMap((entry) => (entry.kind === 'message' ? textOf(entry.message) : []))
}

/** Returns the texts that each run reads, by its id. */
export async function told(store: Store): Promise<{ readonly [id: string]: readonly string[] }> {
  const ids = (await store.list()).map(({ id }) => id)
  return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, texts(await store.read(id))])))
}

/** Returns everything that these runs read. */
export function logs(store: Store, ids: readonly string[]): Promise<readonly unknown[]> {
  return Promise.all(ids.map(async (id) => [await store.read(id), await store.calls(id), await store.checkpoints(id)]))
}

/** Returns every order of some ids. */
export function ordersOf(ids: readonly string[]): readonly (readonly string[])[] {
  return ids.length < 2
    ? [ids]
    : ids.flatMap((id) => ordersOf(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]))
}
