import type { Json, JsonObject } from '../../core/domain/text/json.ts'

/** The fields of every message of the Stately inspector's protocol. */
export interface InspectorMessageHead {
  /** The actor: the run's id, followed by the path of ids. The same after a restart. */
  readonly sessionId: string
  readonly rootId: string
  /** Unix milliseconds. */
  readonly createdAt: string
  /** The number of the message. */
  readonly id: string
  /** The version of the protocol. */
  readonly _version: string
}

/** A displayed snapshot: states are unchanged, and everything else is filtered. */
export interface ShownSnapshot {
  readonly status: string
  readonly value?: Json
  readonly context?: Json
  /** The input of an actor that performs an effect. */
  readonly input?: Json
  readonly output?: Json
  readonly error?: Json
}

/** A displayed event. */
export type ShownEvent = JsonObject & { readonly type: string }

/**
 * A complete message of the Stately inspector's protocol, for `adapter.send` of `@statelyai/inspect`. The `definition`
 * is a JSON text, and is sent with the first actor of each chart. `passes` of a snapshot's event lists the states that
 * the step passed through.
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

/** The version of `@statelyai/inspect` with this protocol. */
export const protocolVersion = '0.7.2'
