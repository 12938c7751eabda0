import type { StateValue } from './xstate-parts.ts'

export type { StateValue } from './xstate-parts.ts'

/**
 * An actor as plain data: XState's own persisted form, so that `createActor(machine, { snapshot })` continues from it.
 */
export type ActorState = MachineState | EffectState

/** The status of an actor. */
export type ActorStatus = 'active' | 'done' | 'error' | 'stopped'

/** A chart that has been entered. */
export interface MachineState {
  readonly status: ActorStatus
  readonly output: unknown
  readonly error: unknown
  readonly value: StateValue
  readonly historyValue: object
  readonly context: object
  readonly children: Children
}

/** An effect on the outside. It only waits for its result. */
export interface EffectState {
  readonly status: ActorStatus
  readonly output: unknown
  readonly error: unknown
  /** Identifies one performance; never reused. */
  readonly key: string
  readonly input: unknown
}

/** Children of a chart by id. */
export interface Children {
  readonly [id: string]: ChildState
}

/** A child: the name of its logic in its parent's chart, and its state. */
export interface ChildState {
  readonly src: string
  readonly syncSnapshot: false
  readonly snapshot: ActorState
}

/** Returns true for a chart, and false for an effect. */
export function isMachineState(state: ActorState): state is MachineState {
  return 'value' in state
}
