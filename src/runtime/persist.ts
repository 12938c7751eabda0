import type { Json, JsonObject } from '../domain/json.ts'
import type { LiveActor } from './effect-logic.ts'

/** Contexts the machines start with, by actor name; the root under `root`. */
export type ContextDefaults = { readonly [src: string]: object }

type Fields = { readonly [key: string]: unknown }

/** An actor as the store keeps it: XState's persisted snapshot less what can be put back. */
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

/** An actor inside another, with the name of its logic. */
export interface StoredChild {
  readonly src: string
  readonly snapshot: StoredActor
}

/** A live actor at one moment: its snapshot never changes, and what children it had is noted. */
export interface CapturedActor {
  readonly src: string
  readonly snapshot: LiveSnapshot
  readonly children: { readonly [id: string]: CapturedActor }
}

interface LiveSnapshot extends Fields {
  readonly status: string
  readonly value?: unknown
  readonly context: Fields
  readonly children?: { readonly [id: string]: LiveActor | undefined }
}

const noKeys: ReadonlySet<unknown> = new Set()

const childless: CapturedActor['children'] = {}

/** Notes how an actor and its children stand, for whoever asks for their data later. */
export function captureActor(ref: LiveActor, src: string): CapturedActor {
  const snapshot: LiveSnapshot = ref.getSnapshot()
  return { src, snapshot, children: snapshot.children === undefined ? childless : captureChildren(snapshot.children) }
}

function captureChildren(children: NonNullable<LiveSnapshot['children']>): CapturedActor['children'] {
  const captured: Record<string, CapturedActor> = {}
  for (const id in children) {
    const child = children[id]
    if (child !== undefined && typeof child.src === 'string') captured[id] = captureActor(child, child.src)
  }
  return captured
}

/**
 * Takes a captured actor down as plain data. Equal to the interpreter's own persisted snapshot once revived,
 * which a test holds it to; written here because the interpreter walks every context on each call. An effect named in
 * `unlaunched` is written without its key.
 */
export function persistActor(
  { src, snapshot, children }: CapturedActor,
  defaults: ContextDefaults,
  unlaunched: ReadonlySet<unknown> = noKeys,
): StoredActor {
  const { status, value, context, output, key, input } = snapshot
  if (value === undefined) return unlaunched.has(key) ? { status, input } : { status, key: key as string, input }
  const stored: Record<string, StoredChild> = {}
  for (const id in children) {
    const child = children[id]
    if (child !== undefined) stored[id] = { src: child.src, snapshot: persistActor(child, defaults, unlaunched) }
  }
  return {
    status,
    value,
    context: changedFields(context, defaults[src] as Fields | undefined),
    children: stored,
    ...(output === undefined ? {} : { output }),
  }
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

/** The snapshot `createActor(machine, { snapshot })` takes. */
export function reviveActor(stored: StoredActor, src: string, defaults: ContextDefaults): JsonObject {
  const { status, value, context, children = {}, output, key, input } = stored
  if (value === undefined) return plain(key === undefined ? { status, input } : { status, key, input })
  return plain({
    status,
    value,
    historyValue: {},
    context: { ...defaults[src], ...context },
    children: Object.fromEntries(
      Object.entries(children).map(([id, child]) => [
        id,
        { src: child.src, syncSnapshot: false, snapshot: reviveActor(child.snapshot, child.src, defaults) },
      ]),
    ),
    ...(output === undefined ? {} : { output }),
  })
}

function plain(value: { readonly [key: string]: unknown }): JsonObject {
  return value as { readonly [key: string]: Json }
}

/** The top-level state of a machine's state value: the value itself, or the one key of a nested one. */
export function topLevelState(value: unknown): string {
  return typeof value === 'string' ? value : (Object.keys(value as object)[0] ?? '')
}
