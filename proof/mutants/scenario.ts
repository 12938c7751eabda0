import type { Limit, RunOptions } from '../../machines/run/run.types.ts'
import type { CallPlan } from '../../src/core/domain/call-plan.ts'
import type { SuspensionReason } from '../../src/core/domain/suspension.ts'

/** A run played by hand: what happens to it, move by move, and what the requirements say must be seen. */
export interface Scenario {
  readonly name: string
  readonly options?: Partial<RunOptions>
  readonly limits?: readonly Limit[]
  /** The special properties of single calls; all others are plain and allowed. */
  readonly calls?: { readonly [callId: string]: Partial<CallPlan> }
  /** Why tools and gates suspend. Default `approval`. */
  readonly reason?: SuspensionReason
  /** When suspensions expire, in Unix milliseconds. Default: never. */
  readonly expiresAt?: number
  /**
   * One move a line, and what it does: `move | checkpoints | announcements | writes | effects under way`.
   * `end` in the last line is followed by the outcome, or by `waiting`. A table whose first move is not `start` begins
   * with `usualStart`.
   */
  readonly table: string
}

/** One line of a scenario's table. */
export interface Row {
  readonly move: string
  readonly expected: string
}

/** The start of a run whose prompt nobody filters and whose first turn begins at once. */
const usualStart = 'start | UserMessage | run.started, turn.started 1 | input | model t1'

/** Cuts a table into its lines, each with the columns after the move in one spelling. */
export function readTable(table: string): readonly Row[] {
  const given = table.split('\n').filter((line) => line.trim() !== '')
  const lines = /^ *start /.test(given[0] ?? '') ? given : [usualStart, ...given]
  return lines.map((line) => {
    const [move = '', ...columns] = line.split('|').map((cell) => cell.trim().replaceAll(/\s+/g, ' '))
    return { move, expected: joinColumns(columns) }
  })
}

/** Columns in one spelling; empty ones at the end do not matter. */
export function joinColumns(columns: readonly string[]): string {
  return columns.join(' | ').replace(/[ |]+$/, '')
}

/** A call that suspends for an approval before it runs. */
export function asking(callId: string): Partial<CallPlan> {
  return { verdict: { kind: 'suspended', suspension: { id: `${callId}/1`, reason: 'approval' } } }
}

/** The executor that runs one call after another. */
export const sequential = { batchSize: 1, stopsOnSuspension: true }
