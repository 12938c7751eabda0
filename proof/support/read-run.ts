import type { CheckpointName } from '../../src/core/domain/outcome.ts'
import type { Json } from '../../src/core/domain/text/json.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { say } from './say.ts'

/** The stored log, one line an entry: messages, and each call's slot with its state and result. */
export async function transcriptOf(store: Store, runId: string): Promise<readonly string[]> {
  const { log } = await store.read(runId)
  const late = new Set(log.map((entry) => (entry.kind === 'call' && entry.call.placeholder === true ? entry.seq : 0)))
  return log.flatMap((entry) => {
    if (entry.kind === 'message' && entry.place === undefined) return say(entry.message)
    if (entry.kind === 'message') return late.has(entry.place ?? 0) ? `late ${say(entry.message)}` : []
    if (entry.kind !== 'call') return []
    const { callId, status, result, placeholder } = entry.call
    const shown = result === undefined ? (placeholder === true ? 'placeholder' : 'no result') : say(result)
    return `${callId} ${status}, ${shown}`
  })
}

/** The names of a run's checkpoints, in order; those of one commit are joined by `+`. */
export async function checkpointsOf(store: Store, runId: string): Promise<readonly string[]> {
  const checkpoints = await store.checkpoints(runId)
  return checkpoints.map(({ names }) => [...(names satisfies readonly CheckpointName[])].join('+'))
}

/** Each call's state, in the order of the model's calls. */
export async function statusesOf(store: Store, runId: string): Promise<{ readonly [callId: string]: string }> {
  const rows = await store.calls(runId)
  return Object.fromEntries(rows.map(({ record }) => [record.callId, record.status]))
}

/** The text of each call's result; undefined where there is none. */
export async function resultsOf(
  store: Store,
  runId: string,
): Promise<{ readonly [callId: string]: string | undefined }> {
  const rows = await store.calls(runId)
  const text = (result: (typeof rows)[number]['record']['result']) =>
    result?.content.map((block) => (block.type === 'text' ? block.text : block.type)).join(' | ')
  return Object.fromEntries(rows.map(({ record }) => [record.callId, text(record.result)]))
}

/** The run's state document. */
export async function stateOf(store: Store, runId: string): Promise<Json> {
  const { log } = await store.read(runId)
  const last = log.findLast((entry) => entry.kind === 'state')
  return last?.kind === 'state' ? last.state : {}
}

/** The id of the suspension a call has now. */
export async function suspensionOf(store: Store, runId: string, callId: string): Promise<string> {
  const rows = await store.calls(runId)
  const found = rows.find(({ record }) => record.callId === callId)?.record.suspension
  if (found === undefined) throw new Error(`Call "${callId}" of run "${runId}" has no suspension.`)
  return found.id
}
