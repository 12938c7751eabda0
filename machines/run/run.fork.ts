import type { StateValueFrom } from 'xstate'
import type { Verdict } from '../../src/core/domain/call-plan.ts'
import type { Outcome, RunStatus } from '../../src/core/domain/outcome.ts'
import type { ToolCallContext } from '../tool-call/tool-call.types.ts'
import type { RunMachine } from './run.machine.ts'
import type { FilterAsked, Queued } from './run.input-types.ts'
import { type Calls, patchCalls } from './run.entries.ts'
import { fieldsOf } from './run.fields.ts'
import { noRow } from './run.queue.ts'
import type { CallEntry, RunContext, SpawnCall } from './run.types.ts'

/** A run's context in a checkpoint: fields that equal their initial value are missing. */
export type StoredRunContext = { readonly [field in keyof RunContext]?: unknown }

/** The name of the actors of calls. */
export const callSource: Parameters<SpawnCall>[0] = 'toolCall'

type Suspending = keyof CallEntry & keyof ToolCallContext & keyof Extract<Verdict, { kind: 'suspended' }>

/** The name of the field for a suspension in every chart. */
export const suspensionField: Suspending = 'suspension'

const asked: Pick<CallEntry, 'status'> = { status: 'suspended' }

/**
 * Returns the context of a fork. It has none of the original's decisions, asks again about calls that lose their
 * approval, and has its own account.
 */
export function forkedContext(
  { decisions: _, exhausted: __, ...context }: StoredRunContext,
  askedIds: readonly string[],
): StoredRunContext {
  if (askedIds.length === 0) return context
  const { calls = {} } = context
  return { ...context, ...patchCalls({ calls } as Calls, askedIds, asked) }
}

/** Returns the queue of a stored run. */
export function queueOf({ queue }: StoredRunContext): readonly Queued[] {
  return Array.isArray(queue) ? queue : []
}

/** A part of a stored run, as far as its queue is named in it. */
interface QueueHolder {
  readonly context?: StoredRunContext
  readonly children?: {
    readonly [id: string]: { readonly src: string; readonly snapshot: { readonly input?: unknown } }
  }
}

/** Returns a snapshot of a fork with its own queue. The input of a running filter refers to that queue. */
export function requeued<Root extends QueueHolder>(root: Root, queue: readonly Queued[]): Root {
  const { context = {}, children = {} } = root
  if (queueOf(context).length === 0) return root
  const { queue: __, ...others } = context
  const judged = queue.find(({ isFiltered }) => isFiltered === false)
  const { isFiltered: _, ...named }: Partial<Queued> = judged ?? noRow
  const entries = Object.entries(children).map(([id, child]) => {
    const { snapshot } = child
    const { phase, kind } = fieldsOf(snapshot.input)
    const isAsked = phase === filtering && kind !== 'prompt'
    return [id, isAsked ? { ...child, snapshot: { ...snapshot, input: { phase, ...named } } } : child]
  })
  return { ...root, context: queue.length === 0 ? others : { ...others, queue }, children: Object.fromEntries(entries) }
}

const filtering: FilterAsked['phase'] = 'filterInput'

const rests = ['waiting', 'done'] as const satisfies readonly (StateValueFrom<RunMachine> & RunStatus)[]

/** Returns the status of a run in this state. */
export function statusOf(value: unknown): RunStatus {
  return rests.find((rest) => rest === value) ?? 'running'
}

/** Returns the end of the run, or the reason of its wait. */
export function outcomeOf({ ending }: StoredRunContext): Outcome {
  const { outcome } = fieldsOf(ending)
  return isOutcome(outcome) ? outcome : { reason: 'suspended' }
}

function isOutcome(value: unknown): value is Outcome {
  return typeof fieldsOf(value)['reason'] === 'string'
}
