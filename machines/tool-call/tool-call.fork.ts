import type { StateValueFrom } from 'xstate'
import type { SleepInput } from '../../src/core/domain/timer.ts'
import type { ToolCallMachine } from './tool-call.machine.ts'
import type { ToolCallChildren, ToolCallContext } from './tool-call.types.ts'

/** A call's context in a checkpoint: fields that equal their initial value are missing. */
export type StoredCallContext = { readonly [field in keyof ToolCallContext]?: unknown }

/** A call's actor in a checkpoint. */
export interface StoredCall {
  readonly value?: unknown
  readonly context?: StoredCallContext
}

type Value = StateValueFrom<ToolCallMachine>

const decided = { suspended: 'decided' } as const satisfies Value
const resting = { suspended: 'resting' } as const satisfies Value

/**
 * Returns true if the original received an answer for the call and has not carried it out. A running `once` call
 * becomes interrupted, which also asks again.
 */
export function isApproved({ value, context = {} }: StoredCall): boolean {
  if (nestedIn(value, 'suspended') === decided.suspended) return true
  if (typeof context.decision !== 'object' || context.decision === null) return false
  const isOnce = (context.effects ?? 'once') === 'once'
  return nestedIn(value, 'resuming') !== undefined || (nestedIn(value, 'running') !== undefined && !isOnce)
}

/** The state inside a top-level state; undefined if the call is in another. */
function nestedIn(value: unknown, top: Extract<Value, string>): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, top)?.value : undefined
}

/** An actor that a call has started, by its id there. */
export interface StoredTimer {
  readonly id: 'expiry' & keyof ToolCallChildren
  readonly src: ToolCallChildren['expiry']
  readonly input: SleepInput
}

/** Returns an approved call that waits for an answer again, and the timer of its suspension. */
export function askedAgain({ context = {} }: StoredCall): {
  readonly value: Value
  readonly context: StoredCallContext
  readonly timer: StoredTimer
} {
  const { decision: _, ...rest } = context
  return { value: resting, context: rest, timer: { id: 'expiry', src: 'sleep', input: { due: expiryOf(context) } } }
}

function expiryOf({ suspension }: StoredCallContext): number | null {
  if (typeof suspension !== 'object' || suspension === null || !('expiresAt' in suspension)) return null
  return typeof suspension.expiresAt === 'number' ? suspension.expiresAt : null
}

/** Returns the context without the decision that was kept for the original. */
export function withoutKeptDecision({ keptDecision: _, ...context }: StoredCallContext): StoredCallContext {
  return context
}
