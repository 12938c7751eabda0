import type { Chart } from '../../../machines/index.ts'
import type { Agent, Json, Store } from '../../index.ts'
import type { CallStatus, CheckpointInfo, RunRecord, RunState, StoredStanding } from '../../ports.ts'
import { type Step, stepsBetween } from './steps-taken.ts'

/** The state of a run and its checkpoints, without its messages and output, which may be long. */
export interface RunSummary {
  readonly record: RunRecord
  /** True if its stored status is running, and no process drives it. */
  readonly isStopped: boolean
  readonly standing: Omit<StoredStanding, 'messages' | 'suspended' | 'text' | 'output'>
  readonly checkpoints: readonly CheckpointInfo[]
  /** Ids of calls with a stored answer that was not carried out yet. */
  readonly answered: readonly string[]
}

/** The states of the charts at one checkpoint. */
export interface PassedStates {
  readonly version: number
  readonly value: Json
  /** The transitions since the checkpoint before. */
  readonly steps: readonly Step[]
  readonly calls: readonly { readonly callId: string; readonly toolName: string; readonly status: CallStatus }[]
}

/** The maximum checkpoints of one request, because each is read separately. */
const mostVersions = 25

/** Reads a run's summary. If the run has not changed since the known version, only cheap parts are read. */
export async function summaryOf(
  reader: Agent,
  store: Store,
  runId: string,
  known?: number,
): Promise<RunSummary | Omit<RunSummary, 'standing' | 'checkpoints'>> {
  const [record, inbox] = await Promise.all([store.record(runId), store.inbox(runId, { isOpen: true })])
  const isDriven = record.status !== 'running' || record.isDriven
  const answered = inbox.flatMap(({ item }) => (item.kind === 'decision' ? [item.decision.callId] : []))
  const present = { record, isStopped: !isDriven, answered }
  if (record.version === known) return present
  const run = await reader.load(runId)
  const [checkpoints, whole] = await Promise.all([run.history(), run.result()])
  const { messages: _, suspended: __, text: ___, output: ____, ...standing } = whole
  return { ...present, standing, checkpoints }
}

/** Reads the states of the charts at checkpoints. */
export async function wayOf(reader: Agent, chart: Chart, runId: string, versions: readonly number[]) {
  const run = await reader.load(runId)
  const history = await run.history()
  const read = new Map<number, Promise<RunState>>()
  const at = (version: number) => {
    const found = read.get(version) ?? run.at(version)
    read.set(version, found)
    return found
  }
  const passed: PassedStates[] = []
  for (const version of versions.slice(0, mostVersions)) {
    const { value, calls } = await at(version)
    const place = history.findIndex((one) => one.version === version)
    const before = history[place - 1]
    const names = history[place]?.names ?? []
    const from = before && (await at(before.version)).value
    passed.push({
      version,
      value,
      steps: place < 0 ? [] : stepsBetween(chart, from, { to: value, names }),
      calls: calls.map(({ callId, toolName, status }) => ({ callId, toolName, status })),
    })
  }
  return { passed }
}

/** Reads a run in its state at a checkpoint. */
export async function stateAt(reader: Agent, runId: string, version: number): Promise<RunState> {
  return await (await reader.load(runId)).at(version)
}
