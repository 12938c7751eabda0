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
   * `end` in the last line is followed by the outcome, or by `waiting`.
   */
  readonly table: string
}

/** One line of a scenario's table. */
export interface Row {
  readonly move: string
  readonly expected: string
}

/** Cuts a table into its lines, each with the columns after the move in one spelling. */
export function readTable(table: string): readonly Row[] {
  const lines = table.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const [move = '', ...columns] = line.split('|').map((cell) => cell.trim().replaceAll(/\s+/g, ' '))
    return { move, expected: joinColumns(columns) }
  })
}

/** Columns in one spelling; empty ones at the end do not matter. */
export function joinColumns(columns: readonly string[]): string {
  return columns.join(' | ').replace(/[ |]+$/, '')
}
