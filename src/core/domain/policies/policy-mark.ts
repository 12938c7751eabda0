import { isRecord, type Json } from '../text/json.ts'
import type { Standing } from './policy-step.ts'

/** The facts about one open call that the policies of a run need. */
export type SeenCall = {
  /** The id of the last suspension. */
  readonly suspension?: string
  /** True after the call has begun to run. */
  readonly hasRun?: true
  readonly approvedBy?: readonly (string | null)[]
}

/** The standing of an agent's policies right after a call of the run began to run, as the call's record holds it. */
export type PolicyMark = {
  /** The place of this beginning among those of the run, from 1. */
  readonly place: number
  readonly standing: Standing
  /** The slot of the last call that the policies know. */
  readonly lastSlot: number
  /** The calls that had not settled, by id. */
  readonly open: { readonly [callId: string]: SeenCall }
}

/** Returns true for the mark of a call's record. */
export function isPolicyMark(value: Json | undefined): value is PolicyMark {
  if (!isRecord(value)) return false
  const { place, standing, lastSlot, open } = value
  return typeof place === 'number' && typeof lastSlot === 'number' && isRecord(standing) && isRecord(open)
}
