import type { StoredSelection } from '../domain/branch-group.ts'
import { valueIn } from '../domain/value-in.ts'
import { isRecord } from '../domain/text/json.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { Store, StoredRun } from '../ports/store.ts'
import type { DriveRest } from '../runtime/drive-options.ts'
import type { AgentCore } from './agent-core.ts'
import { workerOf } from './worker-of.ts'

/** A run that another run continues: its log up to an entry, and that entry's number. */
export interface ReadRun extends Pick<StoredRun, 'record' | 'input' | 'log'> {
  readonly lastSeq: number
}

/** The end of a run, with the time at which the run was created, because another run may have its id meanwhile. */
export interface EndedRun {
  readonly createdAt: number
  readonly rest: WeakRef<DriveRest>
}

/** Returns the end of a run that this process has driven, or undefined if the run has not ended. */
export function endOf(
  rest: DriveRest | undefined,
  { createdAt }: { readonly createdAt: number | undefined },
): EndedRun | undefined {
  return rest?.status === 'done' && createdAt !== undefined ? { createdAt, rest: new WeakRef(rest) } : undefined
}

/**
 * Reads a run up to its end; for a group of branches, reads the winner. `ended` is the end that this process has seen,
 * while it is in memory.
 */
export async function readOriginal(core: AgentCore, runId: string, ended?: EndedRun): Promise<ReadRun> {
  const read = (await readFromMemory(core, runId, ended)) ?? (await readStored(core, runId))
  const winner = await winnerOf(core.store, read)
  return winner === undefined ? read : readStored(core, winner)
}

/** Returns the last run of the winner of a group; undefined for any other run. */
export async function winnerOf(store: Store, { input, log }: Pick<StoredRun, 'input' | 'log'>) {
  if (!isRecord(input) || !('branches' in input)) return undefined
  const selection = valueIn(log, 'selection') as unknown as StoredSelection | undefined
  return selection && ((await workerOf(store, selection.runId))?.id ?? selection.runId)
}

/** Returns the transcript in memory, which is final for a finished run. */
async function readFromMemory(
  { store }: AgentCore,
  runId: string,
  ended: EndedRun | undefined,
): Promise<ReadRun | undefined> {
  const rest = ended?.rest.deref()
  if (rest === undefined) return undefined
  const record = await store.record(runId)
  if (record.status !== 'done' || record.createdAt !== ended?.createdAt) return undefined
  const { input, log, lastSeq } = rest
  return { record, input, log, lastSeq }
}

async function readStored({ store }: AgentCore, runId: string): Promise<ReadRun> {
  const { record, input, log, checkpoint, continues } = await store.read(runId, true)
  const lastSeq = Math.max(log.at(-1)?.seq ?? 0, checkpoint?.seq ?? 0, continues?.seq ?? 0)
  return { record, input, log, lastSeq }
}

/** Throws a `UsageError` for an open run that says what is possible with it, if a new run would begin. */
export function refuseUnlessDone({ id, status }: Pick<StoredRun['record'], 'id' | 'status'>): void {
  switch (status) {
    case 'done':
      return
    case 'running': {
      const wish =
        'Use steer() for the next turn, followUp() for the end of the run, or wait for settled(). If its process is gone, resume() of the agent continues it.'
      throw new UsageError('run_busy', `Run "${id}" is running, and a prompt begins a new run. ${wish}`)
    }
    case 'waiting': {
      const wish =
        'Answer its calls with decide(), send it a message with steer() or followUp(), or end it with cancel().'
      throw new UsageError('run_waiting', `Run "${id}" waits for decisions, and a prompt begins a new run. ${wish}`)
    }
  }
}
/** Returns the state of the run after an entry. */
export function readUpTo(read: ReadRun, seq: number): ReadRun {
  return { ...read, log: read.log.filter((entry) => entry.seq <= seq), lastSeq: seq }
}
