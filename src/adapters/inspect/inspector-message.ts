import type { Json, JsonObject } from '../../core/domain/text/json.ts'

/** What every message of the Stately inspector's protocol holds. */
export interface InspectorMessageHead {
  /** The actor: the run's id, and below it the path of ids. The same after a restart. */
  readonly sessionId: string
  readonly rootId: string
  /** Unix milliseconds. */
  readonly createdAt: string
  /** Number of the message. */
  readonly id: string
  /** Of the protocol. */
  readonly _version: string
}

/** A snapshot as it is shown: states as they are, everything else filtered. */
export interface ShownSnapshot {
  readonly status: string
  readonly value?: Json
  readonly context?: Json
  /** What an actor that performs something was given. */
  readonly input?: Json
  readonly output?: Json
  readonly error?: Json
}

/** An event as it is shown. */
export type ShownEvent = JsonObject & { readonly type: string }

/**
 * A finished message of the Stately inspector's protocol, as `adapter.send` of `@statelyai/inspect` takes it. The
 * `definition` is a JSON text, and comes with the first actor of each chart. `passes` of a snapshot's event lists the
 * states that the step came through.
 */
export type InspectorMessage =
  | (InspectorMessageHead & {
      readonly type: '@xstate.actor'
      readonly name: string
      readonly parentId?: string
      readonly definition?: string
      readonly snapshot: ShownSnapshot
    })
  | (InspectorMessageHead & { readonly type: '@xstate.event'; readonly sourceId?: string; readonly event: ShownEvent })
  | (InspectorMessageHead & {
      readonly type: '@xstate.snapshot'
      readonly event: ShownEvent
      readonly snapshot: ShownSnapshot
    })

/** The version of `@statelyai/inspect` whose protocol this is. */
export const protocolVersion = '0.7.2'
