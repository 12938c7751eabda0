import type { Outcome } from '../domain/outcome.ts'
import type { Usage } from '../domain/usage.ts'
import type { Model } from './model.ts'

/** A branch that may win: it ended by itself, by a plugin or at a limit. */
export interface BranchCandidate {
  /** The number of the branch, from 1. */
  readonly index: number
  readonly runId: string
  /** The name of the branch's agent. */
  readonly agent: string
  readonly outcome: Outcome
  /** The branch's last answer. */
  readonly text: string
  /** The typed output, if the agent has an output contract. */
  readonly output?: unknown
  /** The usage of the branch and of the runs below it. */
  readonly usage: Usage
}

/** A model that selects the best answer. */
export interface JudgeStrategy {
  readonly judge: Model
  /** Replaces the default instructions. The model should answer with the number of a branch. */
  readonly instructions?: string
  /** The maximum tokens of the conversation and the answers that the model reads. Default: the room of its window. */
  readonly budget?: number
}

/**
 * Selects a branch by returning its number. After 60 s, `signal` fires. If it throws, or returns a number that is not a
 * candidate's, the first candidate wins.
 */
export type StrategyFunction = (
  candidates: readonly BranchCandidate[],
  context: { readonly signal: AbortSignal },
) => number | Promise<number>

/**
 * The way in which a group selects its winner. `transparent`: the only branch. `pickFirst`: the first. `tokenEfficient`: the
 * one with the fewest tokens. `elaborate`: the one with the most. Token counts include sub-agents. Ties go to the lowest
 * number, and only a branch that may win is selected.
 */
export type Strategy = 'transparent' | 'pickFirst' | 'tokenEfficient' | 'elaborate' | JudgeStrategy | StrategyFunction
