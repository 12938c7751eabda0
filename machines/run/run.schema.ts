import type { InboxRow } from '../../src/domain/inbox.ts'
import { type Fields, fieldsOf } from './run.fields.ts'

/** What a migration reads and gives of a stored actor; whatever else stands in it is kept. */
interface Stored {
  readonly value?: unknown
  readonly context?: Fields
  readonly input?: unknown
  readonly children?: { readonly [id: string]: { readonly src: string; readonly snapshot: Stored } }
}

/** A stored run, by the name `root`, or a call that stands alone. */
interface Tree<Actor extends Stored> {
  readonly src: string
  readonly snapshot: Actor
}

/** What brings a stored run of each earlier schema forward; by the schema it starts from. Never changed once released. */
export const runMigrations = { 1: { document: toSchema2 }, 2: { document: toSchema3 } }

/**
 * From schema 1 to 2. The phases of a run came to stand in lines, which are states around theirs; and how a run ends became
 * one value of its context. Effects under way kept their ids, and no other actor changed.
 */
function toSchema2<Actor extends Stored>({ src, snapshot: actor }: Tree<Actor>): Actor {
  if (src !== 'root') return actor
  const { value, context } = actor
  return {
    ...actor,
    ...(value === undefined ? {} : { value: movedState(value) }),
    ...(context === undefined ? {} : { context: withEnding(context) }),
  }
}

/**
 * From schema 2 to 3. What comes into a run came to stand in its context by its head. The messages of what is queued are
 * looked for in the inbox; where no row says the same, they go on as they are. So do a plan of a request and what a context
 * builder has made. No state changed.
 */
function toSchema3<Actor extends Stored>(
  { src, snapshot: actor }: Tree<Actor>,
  { inbox }: { readonly inbox: readonly InboxRow[] },
): Actor {
  if (src !== 'root') return actor
  const { context, children } = actor
  const find = finder(inbox)
  const queue = context === undefined ? [] : listOf(context['queue']).map((queued) => find(fieldsOf(queued)))
  return {
    ...actor,
    ...(context === undefined ? {} : { context: withHeads(context, queue) }),
    ...(children === undefined ? {} : { children: askedByHead(children, queue) }),
  }
}

/** Of several rows that say the same, each is named once. */
function finder(inbox: readonly InboxRow[]): (queued: Fields) => Fields {
  const left = new Map<string, number[]>()
  for (const { id, item } of inbox) {
    if (!('messages' in item)) continue
    const said = textOf(item.kind, item.messages)
    const ids = left.get(said) ?? []
    ids.push(id)
    left.set(said, ids)
  }
  return (queued) => {
    const { messages, ...head } = queued
    const inboxId = left.get(textOf(head['kind'], messages))?.shift()
    return messages === undefined || inboxId === undefined ? queued : { ...head, inboxId }
  }
}

function textOf(kind: unknown, messages: unknown): string {
  return JSON.stringify([kind, messages])
}

function withHeads({ value: _, ...context }: Fields, queue: readonly Fields[]): Fields {
  const { input } = context
  return {
    ...context,
    ...(queue.length === 0 ? {} : { queue }),
    ...(Array.isArray(input) && input.length === 0 ? { input: 'taken' } : {}),
  }
}

/** What was asked about the prompt, or about the one thing queued that is being filtered. */
function askedByHead(
  children: NonNullable<Stored['children']>,
  queue: readonly Fields[],
): NonNullable<Stored['children']> {
  const changed = (src: string, input: Fields): Fields => {
    if (src === 'buildContext') return { input: 'row' }
    if (input['kind'] === 'prompt') return { kind: 'prompt', input: 'row' }
    const { isFiltered: __, ...judged } = queue.find(({ isFiltered }) => isFiltered === false) ?? input
    return judged
  }
  const entries = Object.entries(children).map(([id, { src, snapshot }]) => {
    const isAsked = src === 'filterInput' || src === 'buildContext'
    return [id, { src, snapshot: isAsked ? { ...snapshot, input: changed(src, fieldsOf(snapshot.input)) } : snapshot }]
  })
  return Object.fromEntries(entries)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The line that came to stand around a state. */
const lines: { readonly [compound: string]: { readonly [state: string]: string } } = {
  turn: {
    filteringQueued: 'before',
    startingStep: 'before',
    preparingInference: 'before',
    askingBeforeTurn: 'before',
    reviewingAnswer: 'after',
    endingStep: 'after',
    holdingRun: 'after',
    askingAfterTurn: 'ended',
  },
  closing: { tellingError: 'telling', runningEnd: 'telling' },
}

function movedState(value: unknown): unknown {
  const { running } = fieldsOf(value)
  if (running === undefined) return value
  const moved = Object.entries(fieldsOf(running)).map(([compound, state]) => {
    const line = typeof state === 'string' ? lines[compound]?.[state] : undefined
    return [compound, line === undefined ? state : { [line]: state }]
  })
  return { running: Object.fromEntries(moved) }
}

/** Fields that were null were not stored. */
function withEnding(context: Fields): Fields {
  const { plannedOutcome: plan, outcome, cancelNote, isFinishing, ...rest } = context
  const ending = endingOf(plan ?? undefined, outcome ?? undefined, cancelNote)
  return {
    ...rest,
    ...(ending === undefined ? {} : { ending }),
    ...(isFinishing === undefined ? {} : { isLastCall: isFinishing }),
  }
}

/** Of a plan, an end that was made keeps the note, and a wait all of it. */
function endingOf(plan: unknown, outcome: unknown, cancelNote: unknown): Fields | undefined {
  if (outcome === undefined) return plan === undefined ? undefined : { kind: 'planned', plan }
  const { reason } = fieldsOf(outcome)
  const note = reason === 'cancelled' ? cancelNote : reason === 'stopped' ? fieldsOf(plan)['note'] : undefined
  return {
    kind: 'made',
    outcome,
    ...(typeof note === 'string' ? { note } : {}),
    ...(reason === 'suspended' && plan !== undefined ? { plan } : {}),
  }
}
