import type { StateValueFrom } from 'xstate'
import type { SleepInput } from '../../src/core/domain/timer.ts'
import type { ToolCallMachine } from './tool-call.machine.ts'
import type { ToolCallChildren, ToolCallContext } from './tool-call.types.ts'

/** A call's context as a checkpoint holds it: fields that equal their initial value are missing. */
export type StoredCallContext = { readonly [field in keyof ToolCallContext]?: unknown }

/** A call's actor as a checkpoint holds it. */
export interface StoredCall {
  readonly value?: unknown
  readonly context?: StoredCallContext
}

type Value = StateValueFrom<ToolCallMachine>

const decided = { suspended: 'decided' } as const satisfies Value
const resting = { suspended: 'resting' } as const satisfies Value

/**
 * Returns true if the original was given an answer for the call and has not carried it out. A `once` call that runs
 * comes back interrupted, which asks as well.
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

/** An actor a call has started, by the id it has there. */
export interface StoredTimer {
  readonly id: 'expiry' & keyof ToolCallChildren
  readonly src: ToolCallChildren['expiry']
  readonly input: SleepInput
}

/** An approved call that waits for an answer once more, and the timer of its suspension. */
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

/** No decision kept for the original is one of the fork's. */
export function withoutKeptDecision({ keptDecision: _, ...context }: StoredCallContext): StoredCallContext {
  return context
}
