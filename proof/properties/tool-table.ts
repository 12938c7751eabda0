import type { ResumeMode, ToolEffects } from '../../src/core/domain/call.ts'
import type { SuspensionReason } from '../../src/core/domain/suspension.ts'

/** The behaviour of one tool of the properties. */
export interface ToolSpec {
  readonly effects: ToolEffects
  /** `now` answers at once, `held` when the sequence says so, `throws` fails. */
  readonly acts: 'now' | 'held' | 'throws'
  /** The number of its first executions that suspend. */
  readonly suspends?: number
  readonly reason?: SuspensionReason
  /** Milliseconds its suspensions last. */
  readonly lasts?: number
  readonly needs?: 'approval'
  readonly concurrency?: 'exclusive'
  readonly timeoutMs?: number
  readonly resume?: ResumeMode
  readonly priority?: number
}

/** Every tool a setup may call; `nope` is not among them. */
export const toolTable: { readonly [name: string]: ToolSpec } = {
  act: { effects: 'none', acts: 'now' },
  fail: { effects: 'none', acts: 'throws' },
  held: { effects: 'once', acts: 'held' },
  look: { effects: 'none', acts: 'held' },
  put: { effects: 'idempotent', acts: 'held' },
  alone: { effects: 'idempotent', acts: 'held', concurrency: 'exclusive' },
  slow: { effects: 'once', acts: 'held', timeoutMs: 1000 },
  gated: { effects: 'once', acts: 'now', needs: 'approval' },
  lock: { effects: 'idempotent', acts: 'held', needs: 'approval' },
  ask: { effects: 'none', acts: 'now', suspends: 1 },
  insist: { effects: 'once', acts: 'held', suspends: 2 },
  service: { effects: 'once', acts: 'now', suspends: 1, reason: 'service', resume: 'use-as-result' },
  pass: { effects: 'none', acts: 'held', suspends: 1, resume: 'pass-to-tool' },
  brief: { effects: 'none', acts: 'now', suspends: 1, lasts: 2000 },
  urgent: { effects: 'none', acts: 'now', priority: 1 },
}

/** Names a scripted model calls. */
export const toolNames: readonly string[] = [...Object.keys(toolTable), 'nope']

/** Those of them that keep a run busy. */
export const lastingTools: readonly string[] = ['held', 'look', 'put', 'slow', 'lock', 'insist', 'ask']
