import type { AnyActorRef, InspectionEvent } from 'xstate'

/** One thing an interpreter told: which actor, what, and its parts. */
export type TraceEntry = readonly unknown[]

/** Everything an interpreter tells of its steps, so that two of them can be compared by it. */
export class InterpreterTrace {
  #entries: TraceEntry[] = []

  see(event: InspectionEvent): void {
    this.#entries.push([event.actorRef, event.type, ...partsOf(event)])
  }

  /** What was told since the last call. */
  take(): readonly TraceEntry[] {
    const entries = this.#entries
    this.#entries = []
    return entries
  }
}

/** Thrown where charts stepped by their tables and by XState's own code part. */
export class InterpretersDiffer extends Error {}

/** Throws an `InterpretersDiffer` that shows the first entry in which two traces part. */
export function compareTraces(byTables: readonly TraceEntry[], official: readonly TraceEntry[]): void {
  const count = Math.max(byTables.length, official.length)
  for (let at = 0; at < count; at++) {
    if (isSame(byTables[at], official[at])) continue
    throw new InterpretersDiffer(`By tables: ${textOf(byTables[at])}\nBy XState: ${textOf(official[at])}`)
  }
}

function partsOf(event: InspectionEvent): readonly unknown[] {
  switch (event.type) {
    case '@xstate.actor':
      return [nameOfLogic(event.actorRef as AnyActorRef)]
    case '@xstate.event':
      return [event.event, event.sourceRef]
    case '@xstate.action':
      return [event.action]
    case '@xstate.snapshot':
      return [event.event, snapshotOf(event.snapshot)]
    case '@xstate.microstep':
      return [event.event, snapshotOf(event.snapshot), event._transitions.map(nameOfTransition)]
    case '@xstate.transition':
      return []
  }
}

/** The root's logic has no name: it is the machine itself. */
function nameOfLogic({ src }: AnyActorRef): string {
  return typeof src === 'string' ? src : 'root'
}

/** Fields of a machine's snapshot beside the machine; the states in the order the interpreter lists them. */
interface Fields {
  readonly [field: string]: unknown
  readonly _nodes?: readonly { readonly id: string }[]
  readonly tags?: ReadonlySet<string>
  readonly children?: object
}

/**
 * Its children as they are now: tables change those of a live actor in place. Of an actor that failed in the middle of a step
 * XState keeps those from before the step, the tables those it had come to; no step follows, and nobody stops them.
 */
function snapshotOf(snapshot: object): unknown {
  const { _nodes: nodes = [], tags = new Set(), machine: _, children, ...fields } = snapshot as Fields
  const compared = fields['status'] === 'error' ? {} : { children: { ...children } }
  return { ...fields, ...compared, nodes: nodes.map(({ id }) => id), tags: [...tags] }
}

interface Taken {
  readonly source: { readonly id: string }
  readonly eventType: string
  readonly target?: readonly { readonly id: string }[]
}

function nameOfTransition(transition: object): string {
  const { source, eventType, target } = transition as Taken
  return `${source.id} ${eventType} ${target?.map(({ id }) => id).join() ?? 'stays'}`
}

/** Deep; keys in their order, actors by their paths, functions by their names, errors as one. */
function isSame(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (typeof left === 'function' && typeof right === 'function') return left.name === right.name
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (isActor(left) || isActor(right)) return isActor(left) && isActor(right) && pathOf(left) === pathOf(right)
  if (left instanceof Error && right instanceof Error) return true
  const [keys, others] = [Object.keys(left), Object.keys(right)]
  return (
    Array.isArray(left) === Array.isArray(right) &&
    keys.length === others.length &&
    keys.every((key, at) => key === others[at] && isSame(left[key as never], right[key as never]))
  )
}

function isActor(value: object): boolean {
  return 'sessionId' in value && '_parent' in value
}

/** The root by that name: its own id is another in each system. */
function pathOf(ref: object): string {
  const { _parent: parent, id } = ref as AnyActorRef
  return parent === undefined ? 'root' : `${pathOf(parent)}/${id}`
}

/** Actors by their paths, before they spell themselves. */
function textOf(value: unknown): string {
  return value === undefined
    ? 'nothing more'
    : JSON.stringify(value, function (this: { readonly [key: string]: unknown }, key: string) {
        const part = this[key]
        return typeof part === 'object' && part !== null && isActor(part) ? pathOf(part) : part
      })
}
