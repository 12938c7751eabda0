import type { AnyActorRef, InspectionEvent } from 'xstate'

/** One inspection event of an interpreter: the actor, the type and its parts. */
export type TraceEntry = readonly unknown[]

/** Records every inspection event of an interpreter, so that two interpreters can be compared. */
export class InterpreterTrace {
  #entries: TraceEntry[] = []

  see(event: InspectionEvent): void {
    this.#entries.push([event.actorRef, event.type, ...partsOf(event)])
  }

  /** Returns the entries since the last call. */
  take(): readonly TraceEntry[] {
    const entries = this.#entries
    this.#entries = []
    return entries
  }
}

/** Thrown if the tables and XState's own code produce different steps. */
export class InterpretersDiffer extends Error {}

/** Throws an `InterpretersDiffer` that shows the first entry in which two traces differ. */
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

/** The root's logic has no name, because its source is the machine itself. */
function nameOfLogic({ src }: AnyActorRef): string {
  return typeof src === 'string' ? src : 'root'
}

/** The fields of a machine's snapshot other than the machine, with the states in the interpreter's order. */
interface Fields {
  readonly [field: string]: unknown
  readonly _nodes?: readonly { readonly id: string }[]
  readonly tags?: ReadonlySet<string>
  readonly children?: object
}

/**
 * Copies the children, because the tables change the children of a live actor in place. The children of an actor that
 * failed in the middle of a step are not compared: XState keeps the children from before the step, and the tables keep
 * the new ones. No step follows, and nothing stops those children.
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

/** Compares deeply: keys in their order, actors by path, functions by name; all errors are equal. */
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

/** Names the root `root`, because its id differs between systems. */
function pathOf(ref: object): string {
  const { _parent: parent, id } = ref as AnyActorRef
  return parent === undefined ? 'root' : `${pathOf(parent)}/${id}`
}

/** Replaces actors by their paths before they serialize themselves. */
function textOf(value: unknown): string {
  return value === undefined
    ? 'nothing more'
    : JSON.stringify(value, function (this: { readonly [key: string]: unknown }, key: string) {
        const part = this[key]
        return typeof part === 'object' && part !== null && isActor(part) ? pathOf(part) : part
      })
}
