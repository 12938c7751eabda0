import type { Write } from '../../src/core/domain/log.ts'
import type { Outcome } from '../../src/core/domain/outcome.ts'
import type { SaidHead } from '../../src/core/domain/payload.ts'
import type { EndedWith } from '../tool-call/tool-call.types.ts'
import { made, noEnding, outcomeOf, planOf, reopened } from './run.ending.ts'
import { tick } from './run.limits.ts'
import type {
  ContextAnswered,
  ContextAsked,
  FilterAsked,
  FilterInput,
  FilterVerdict,
  Queued,
  QueuedKind,
  RecallAsked,
} from './run.input-types.ts'
import type { AskVerdict } from './run.asks.ts'
import type { PlannedOutcome, RunAnnouncement, RunArgs, RunContext, RunPatch } from './run.types.ts'

/** Params that carry what the filters make of something. */
type Filtered = {
  readonly verdict: FilterVerdict
}

/** Queues a message for a run that is running or waiting. An event may have no message. */
export function queueMessages({ context }: RunArgs, { queued }: { readonly queued: Queued | undefined }): RunPatch {
  return queued === undefined ? {} : { queue: [...context.queue, queued] }
}

/**
 * Returns the messages of the next turn: results of background work, then steering; at the end of the run, or before
 * its final answer, a follow-up.
 */
function nextQueued(context: RunContext): readonly Queued[] {
  const { queue, options, isLastCall } = context
  const { queueModes } = options
  const plan = planOf(context)
  const waiting = (kind: QueuedKind) => {
    const queued = queue.filter((candidate) => candidate.kind === kind)
    return queueModes[kind] === 'all' ? queued : queued.slice(0, 1)
  }
  const first = [...queue.filter(({ kind }) => kind === 'background'), ...waiting('steer')]
  if (first.length > 0 || plan === null) return first
  return isLastCall || mayGoOn(plan) ? waiting('followUp') : []
}

/** Continues a run that ends by itself or by a plugin if messages to it are queued. */
function mayGoOn({ reason }: PlannedOutcome | Outcome): boolean {
  return reason === 'natural_end' || reason === 'plugin_requested'
}

/** Returns true if the next turn has queued messages to process. */
export function hasQueued({ context }: RunArgs): boolean {
  return context.queue.length > 0 && nextQueued(context).length > 0
}

/** Returns true if a planned end is deferred. */
export function isEndPutOff(args: RunArgs): boolean {
  const plan = planOf(args.context)
  return plan !== null && mayGoOn(plan) && hasQueued(args)
}

/** Returns true if a message arrived while plugins were told about the run's end. */
export function isReopened({ context }: RunArgs): boolean {
  const outcome = outcomeOf(context)
  return outcome !== null && context.queue.length > 0 && mayGoOn(outcome)
}

/** Returns true if the run is about to end, not to wait, and no message defers the end. */
export function isEndMade(args: RunArgs): boolean {
  return outcomeOf(args.context)?.reason !== 'suspended' && !isReopened(args)
}

/** Turns the certain end back into a plan, which the new message defers. */
export function reopen({ context: { ending } }: RunArgs): RunPatch {
  return { ending: reopened(ending) }
}

/** Returns true if steering replaces the calls that have not started. */
export function hasSteering({ context: { queue } }: RunArgs): boolean {
  return queue.some(({ kind }) => kind === 'steer')
}

/** Returns true if a message of the next turn has to pass the filters. */
export function mustFilterQueued({ context }: RunArgs): boolean {
  return context.options.watched.includes('filterInput') && unfiltered(context) !== undefined
}

function unfiltered(context: RunContext): Said | undefined {
  return nextQueued(context)
    .filter(isSaid)
    .find(({ isFiltered }) => isFiltered !== true)
}

type Said = Queued & { readonly kind: QueuedKind }

/** Results of background work are not messages from anybody. */
function isSaid(queued: Queued): queued is Said {
  return queued.kind !== 'background'
}

/** Returns the message under filter: more may arrive meanwhile, and steering comes first. */
function underFilter({ queue }: RunContext): Said | undefined {
  return queue.filter(isSaid).find(({ isFiltered }) => isFiltered === false)
}

/** Starts the filters on the first queued message of the next turn that they have not checked. */
export function startFiltering({ context }: RunArgs): RunPatch {
  const first = underFilter(context) ?? unfiltered(context)
  return { queue: context.queue.map((queued) => (queued === first ? { ...queued, isFiltered: false } : queued)) }
}

/** Returns the message that the filters check. */
export function filterQueuedInput({ context }: RunArgs): FilterAsked {
  const { kind, inboxId } = underFilter(context) ?? noRow
  return { phase: 'filterInput', kind, inboxId }
}

/** A reference to no row, for which the filters find no message and are not called. */
export const noRow = { kind: 'steer', inboxId: 0 } as const

/** Drops only the rejected message. The others keep their positions and warnings. */
export function takeFilteredQueued({ context }: RunArgs, event: EndedWith<FilterVerdict>): RunPatch {
  if (!('output' in event)) return {}
  const { warnings = [], rejection, at } = event.output
  const judged = underFilter(context)
  const queue = context.queue.flatMap((queued): readonly Queued[] => {
    if (queued !== judged) return [queued]
    if (rejection !== undefined) return []
    return [{ ...queued, isFiltered: true, ...(warnings.length === 0 ? {} : { warnings }) }]
  })
  return { ...tick(context, at), queue }
}

/** Returns true if a filter rejected its message. */
export function isRejected(_: unknown, { verdict }: Partial<Filtered>): boolean {
  return verdict?.rejection !== undefined
}

/** Removes the messages of the next turn from the queue, because they are in the log; defers a planned end. */
export function takeQueued({ context }: RunArgs): RunPatch {
  const taken = nextQueued(context)
  const plan = planOf(context)
  return {
    queue: context.queue.filter((queued) => !taken.includes(queued)),
    ending: plan !== null && mayGoOn(plan) ? noEnding : context.ending,
  }
}

/** Returns the writes of the messages that the next turn processes. */
export function queuedWrites(context: RunContext): readonly Write[] {
  return nextQueued(context).map((queued) => ({ kind: 'said', said: headOf(queued) }))
}

function headOf({ inboxId, warnings }: Queued): SaidHead {
  return { inboxId, ...(warnings === undefined ? {} : { warnings }) }
}

/** Returns the writes of the prompt, with the filters' warnings. */
export function inputWrites({ input, warnings }: RunContext): readonly Write[] {
  return input === 'taken' ? [] : [{ kind: 'input', from: input, warnings }]
}

/** Returns the input of the filters for the prompt. */
export function filterPromptInput({ context: { input } }: RunArgs): FilterAsked {
  return { phase: 'filterInput', kind: 'prompt', input }
}

/** Stores the filters' warnings, which the log gets with the prompt. */
export function takeWarnings({ context }: RunArgs, event: EndedWith<FilterVerdict>): RunPatch {
  if (!('output' in event)) return {}
  const { warnings = [], at } = event.output
  return { ...tick(context, at), warnings }
}

/** Ends the run at once. Nothing of a rejected prompt is kept. */
export function takeRejection({ context }: RunArgs, { verdict: { at } }: Filtered): RunPatch {
  return { ...tick(context, at), ...emptied, ending: made({ reason: 'stopped', code: 'input_rejected' }) }
}

const emptied: RunPatch = { input: 'taken', warnings: [] }

/** Marks the prompt as written to the log. */
export function takeInput(): RunPatch {
  return emptied
}

/** Returns the write of the reason for which the prompt was rejected. */
export function rejectionWrites(_: unknown, { verdict: { rejection } }: Filtered): readonly Write[] {
  if (rejection === undefined) return []
  const { filter, reason } = rejection
  return [{ kind: 'value', name: 'rejection', value: { filter, reason } }]
}

/** Returns the write that empties the row of a rejected message. */
export function refusedWrites({ context }: RunArgs, { verdict: { rejection } }: Filtered): readonly Write[] {
  const judged = underFilter(context)
  if (rejection === undefined || judged === undefined) return []
  return [{ kind: 'refused', inboxId: judged.inboxId }]
}

/** Announces a rejection. */
export function announceRejected(
  _: unknown,
  { verdict: { rejection }, kind }: Filtered & Pick<FilterInput, 'kind'>,
): RunAnnouncement | null {
  return rejection === undefined ? null : { type: 'input.rejected', kind, rejection }
}

/** Announces the rejection of a queued message. */
export function announceRejectedQueued({ context }: RunArgs, { verdict }: Filtered): RunAnnouncement | null {
  return announceRejected(undefined, { verdict, kind: underFilter(context)?.kind ?? 'steer' })
}

/** Returns the input of the memory. */
export function recallInput({ context: { input } }: RunArgs): RecallAsked {
  return { phase: 'recall', input }
}

/** Counts the time that the memory took. Its result is in the log. */
export function takeRecalled({ context }: RunArgs, event: EndedWith<AskVerdict>): RunPatch {
  return 'output' in event ? tick(context, event.output.at) : {}
}

/** Returns the input of the context builder. */
export function buildContextInput({ context: { input } }: RunArgs): ContextAsked {
  return { phase: 'buildContext', input }
}

/** Replaces the user's messages by the context builder's. Messages that only the application reads stay. */
export function takeContext({ context }: RunArgs, event: EndedWith<ContextAnswered>): RunPatch {
  if (!('output' in event)) return {}
  const { isBuilt = false, at } = event.output
  return { ...tick(context, at), ...(isBuilt ? { input: 'built' } : {}) }
}

/** Returns the write of the messages that an ended run has not processed. */
export function undeliveredWrites({ queue }: RunContext): readonly Write[] {
  return queue.length === 0 ? [] : [{ kind: 'undelivered', said: queue.map(headOf) }]
}
