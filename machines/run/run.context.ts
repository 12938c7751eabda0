import type { RunContext, RunInput } from './run.types.ts'

/** The context a run starts with; a document leaves out what equals it. */
export function initialContext({ input: { options, messages } }: { readonly input: RunInput }): RunContext {
  return {
    options,
    turn: 0,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
    cost: 0,
    elapsedMs: 0,
    since: 0,
    calls: {},
    decisions: [],
    round: { batches: [], batch: 0, firsts: {} },
    answer: null,
    streak: null,
    ending: null,
    isUnheard: false,
    isResumed: false,
    input: messages,
    isFinishing: false,
    cancelNote: null,
    outcome: null,
  }
}
