import {
  type ActorState,
  type ActorStatus,
  type EffectState,
  isMachineState,
  type MachineState,
  type StateValue,
} from '../step/actor-state.ts'

/** The initial contexts of the machines, by actor name; that of the root is named `root`. */
export type ContextDefaults = { readonly [src: string]: object }

type Fields = { readonly [key: string]: unknown }

/** An actor as it is stored: XState's persisted snapshot without what can be restored. */
export interface StoredActor {
  readonly status: string
  readonly value?: unknown
  /** Fields that differ from the defaults; contexts hold no actor references. */
  readonly context?: { readonly [key: string]: unknown }
  readonly children?: { readonly [id: string]: StoredChild }
  readonly output?: unknown
  /** Effects only; one without was never launched. */
  readonly key?: string
  readonly input?: unknown
}

/** A nested actor, with the name of its logic. */
export interface StoredChild {
  readonly src: string
  readonly snapshot: StoredActor
}

const noKeys: ReadonlySet<unknown> = new Set()

/**
 * Returns an actor in its stored form, without what can be restored. An effect named in `unlaunched` is stored without
 * its key.
 */
export function persistActor(
  src: string,
  state: ActorState,
  defaults: ContextDefaults,
  unlaunched: ReadonlySet<unknown> = noKeys,
): StoredActor {
  if (!isMachineState(state)) {
    const { status, key, input } = state
    return unlaunched.has(key) ? { status, input } : { status, key, input }
  }
  const { status, value, context, children, output } = state
  const stored: Record<string, StoredChild> = {}
  for (const id in children) {
    const child = children[id]
    if (child === undefined) continue
    stored[id] = { src: child.src, snapshot: persistActor(child.src, child.snapshot, defaults, unlaunched) }
  }
  return {
    status,
    value,
    context: changedFields(context as Fields, defaults[src] as Fields | undefined),
    children: stored,
    ...(output === undefined ? {} : { output }),
  }
}

/** The captured state of a whole machine, which can be stored later. */
export interface Captured {
  readonly state: MachineState
  readonly defaults: ContextDefaults
  readonly unlaunched: ReadonlySet<unknown> | undefined
}

/** Returns the stored form of a captured state. */
export function persistCaptured({ state, defaults, unlaunched }: Captured): StoredActor {
  return persistActor('root', state, defaults, unlaunched)
}

function changedFields(context: Fields, defaults: Fields = {}): Fields {
  const changed: Record<string, unknown> = {}
  for (const key in context) if (!isSame(context[key], defaults[key])) changed[key] = context[key]
  return changed
}

function isSame(value: unknown, initial: unknown): boolean {
  if (value === initial) return true
  if (Array.isArray(value)) return value.length === 0 && Array.isArray(initial) && initial.length === 0
  return isEmpty(value) && isEmpty(initial) && !Array.isArray(initial)
}

function isEmpty(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false
  for (const _ in value) return false
  return true
}

/** Returns the state of a stored actor, which `createActor(machine, { snapshot })` accepts too. */
export function reviveActor(stored: StoredActor, src: string, defaults: ContextDefaults): ActorState {
  const { status, value, context, children = {}, output, key, input } = stored
  const head = { status: status as ActorStatus, output, error: undefined }
  // An effect without a key was never started, and is requested as a new one.
  if (value === undefined) return { ...head, ...(key === undefined ? {} : { key }), input } as EffectState
  return {
    ...head,
    value: value as StateValue,
    historyValue: {},
    context: { ...defaults[src], ...context },
    children: Object.fromEntries(
      Object.entries(children).map(([id, child]) => [
        id,
        { src: child.src, syncSnapshot: false as const, snapshot: reviveActor(child.snapshot, child.src, defaults) },
      ]),
    ),
  }
}

/** Returns the state of a stored run; its root is a machine. */
export function reviveRun(stored: StoredActor, defaults: ContextDefaults): MachineState {
  const state = reviveActor(stored, 'root', defaults)
  if (!isMachineState(state)) throw new Error('The root of a stored run has no state.')
  return state
}

/** Returns the top-level state of a machine's state value: the value itself, or the only key of a nested value. */
export function topLevelState(value: unknown): string {
  if (typeof value === 'string') return value
  for (const key in value as object) return key
  return ''
}
