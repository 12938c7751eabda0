import { openEntries } from '../../../machines/run/run.entries.ts'
import type { RunContext } from '../../../machines/run/run.types.ts'
import { isRecord } from '../domain/text/json.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'
import type { LiveActor } from '../step/effect-logic.ts'
import type { MachineSnapshot } from '../step/xstate-parts.ts'

type Restored = Pick<MachineSnapshot, 'status' | '_nodes' | 'children'> & { readonly context: unknown }

/**
 * Throws a `SnapshotError` for a restored chart that could not continue: its status does not fit its states, or an
 * actor that its states or its calls need is missing. XState accepts such a snapshot and fails at the next event.
 */
export function checkRestored(runId: string, restored: unknown): void {
  const problem = isChart(restored) ? problemOf(restored) : 'it is not the state of a chart'
  if (problem !== undefined) throw new SnapshotError(runId, problem)
}

function problemOf(run: Restored): string | undefined {
  const { status, _nodes: nodes } = run
  if (status === 'stopped') return 'its actor was stopped before the snapshot was taken. Take the snapshot first'
  const isOver = nodes.some(({ type, parent }) => type === 'final' && parent?.parent === undefined)
  const wanted = isOver ? 'done' : 'active'
  if (status !== wanted)
    return `its status is ${JSON.stringify(status)}, and its states are those of a run that is ${wanted}`
  const { context } = run
  if (!isRecord(context) || !isRecord(context['calls'])) return 'its context names no calls'
  const open = openEntries(context as unknown as RunContext).map(({ callId }) => callId)
  const actors = actorsIn(run)
  const missing = [...open.filter((id) => statusOf(actors[id]) !== 'active'), ...missingIn(run)]
  if (missing.length > 0) return `actors that its states need are missing or have ended: ${missing.join(', ')}`
  const unknown = Object.keys(actors).filter((id) => actors[id]?.src === 'toolCall' && !open.includes(id))
  return unknown.length === 0 ? undefined : `it has actors of calls that it does not name: ${unknown.join(', ')}`
}

/** Returns the paths of missing actors that active states invoke, without the timer, which a woken run restarts. */
function missingIn(chart: Restored, path = ''): readonly string[] {
  const actors = actorsIn(chart)
  const invoked = chart._nodes.flatMap(({ invoke }) => invoke).filter(({ src }) => src !== 'keepTime')
  const missing = invoked.filter(({ id }) => actors[id] === undefined).map(({ id }) => `${path}${id}`)
  const inner = Object.entries(actors).flatMap(([id, actor]) => {
    const snapshot: unknown = actor.getSnapshot()
    return isChart(snapshot) && snapshot.status === 'active' ? missingIn(snapshot, `${path}${id}/`) : []
  })
  return [...missing, ...inner]
}

function isChart(snapshot: unknown): snapshot is Restored {
  return isRecord(snapshot) && Array.isArray(snapshot['_nodes']) && isRecord(snapshot['children'])
}

function actorsIn({ children }: Restored): Readonly<Record<string, LiveActor>> {
  return children as Readonly<Record<string, LiveActor>>
}

function statusOf(actor: LiveActor | undefined): unknown {
  return actor?.getSnapshot().status
}
