import { isRecord, type Json } from './text/json.ts'
import { isListOf, isNumber, isShaped, isText } from './text/shape.ts'
import type { Outcome } from './outcome.ts'
import { SnapshotError } from './snapshot-error.ts'
import type { Usage } from './usage.ts'

/** A branch as the input of its group keeps it. */
export interface PlannedBranch {
  readonly callId: string
  readonly runId: string
  readonly configId: string
  /** The number of earlier runs of the session. */
  readonly index: number
}

/** The maximum number of branches of a group. */
export const mostBranches = 64

const isBranches = isListOf(
  isShaped<PlannedBranch>({ callId: isText, runId: isText, configId: isText, index: isNumber }),
)

/** Returns the branches in the stored input of a group, in their order; undefined for another run. */
export function branchesIn(input: Json | undefined): readonly PlannedBranch[] | undefined {
  const branches = isRecord(input) ? input['branches'] : undefined
  return isBranches(branches) ? branches : undefined
}

/** Throws a `SnapshotError` for a group, which only the agents of its branches can drive. */
export function refuseGroup(runId: string, input: Json): void {
  if (branchesIn(input) === undefined) return
  const wish = 'take it up with session.parallel(agents, { strategy, ifExists: "attach" })'
  throw new SnapshotError(runId, `it is a group of branches; ${wish}`)
}

/** The winner of a group, as its log keeps it. */
export interface StoredSelection {
  readonly runId: string
  /** The number of the branch, from 1. */
  readonly index: number
  readonly usage: Usage
  /** US dollars. */
  readonly cost: number
}

const losing: readonly (string | undefined)[] = ['input_rejected', 'answer_refused']

/** Returns true if a branch with this outcome may win. */
export function isCandidate(outcome: Outcome | undefined): boolean {
  if (outcome === undefined) return false
  const { reason, code } = outcome
  return reason === 'natural_end' || reason === 'plugin_requested' || (reason === 'stopped' && !losing.includes(code))
}
