import type { ChartEvent } from './convert.ts'

/** The result of one event at an actor, in a form that three interpreters share. */
export interface Turn {
  readonly status: string
  readonly value: unknown
  readonly context: unknown
  readonly output: unknown
  readonly error: string | undefined
  /** Ids of the children with the names of their logic. */
  readonly children: { readonly [id: string]: string }
  /** The children that were started, with their inputs. */
  readonly starts: { readonly [id: string]: unknown }
  /** The chart's own actions with their parameters, the sends and the stops, in their order. */
  readonly acts: readonly string[]
}

/** An actor, as far as it is named here. */
interface Ref {
  readonly id: string
  readonly src: unknown
  readonly _parent?: unknown
}

/** A snapshot of any of the interpreters. */
export interface SnapshotOf {
  readonly status: string
  readonly value: unknown
  readonly context: unknown
  readonly output: unknown
  readonly error: unknown
  readonly children: { readonly [id: string]: (Ref & { readonly sessionId?: unknown }) | undefined }
}

/** Returns the turn of a snapshot and of what was done on the way to it. */
export function turnOf(snapshot: SnapshotOf, starts: Turn['starts'], acts: readonly string[]): Turn {
  const { status, value, context, output, error, children } = snapshot
  const named = Object.entries(children).flatMap(([id, child]) =>
    child === undefined ? [] : [[id, String(child.src)]],
  )
  const kept = Object.entries(starts).filter(([id]) => children[id] !== undefined)
  return {
    status,
    value,
    context,
    output,
    error: error instanceof Error ? error.message : JSON.stringify(error),
    children: Object.fromEntries(named) as Turn['children'],
    starts: Object.fromEntries(kept),
    acts,
  }
}

/** An action as XState 5 lists and inspects it. */
export interface Action5 {
  readonly type: string
  readonly params?: unknown
}

/** Returns an action of XState 5 in words; undefined for one that is seen otherwise, or that does nothing. */
export function actOf({ type, params }: Action5, self: unknown): string | undefined {
  switch (type) {
    case 'xstate.sendTo': {
      const { to, event } = params as { readonly to: string | Ref; readonly event: ChartEvent }
      return sendOf(typeof to === 'string' ? to : nameOf(to, self), event)
    }
    case 'xstate.stopChild':
      return params === undefined ? undefined : stopOf((params as Ref).id)
    case 'xstate.spawnChild':
      return undefined
    default:
      return ownOf(type, params)
  }
}

/** A chart that stands alone sends to itself what it would send to its parent. */
export function nameOf(actor: Ref, self: unknown): string {
  return actor === self || actor === (self as Ref)._parent ? 'owner' : actor.id
}

export function sendOf(to: string, event: ChartEvent): string {
  return `send ${to} ${JSON.stringify(event)}`
}

export function stopOf(id: string): string {
  return `stop ${id}`
}

export function ownOf(name: string, params: unknown): string {
  return `${name} ${JSON.stringify(params)}`
}
