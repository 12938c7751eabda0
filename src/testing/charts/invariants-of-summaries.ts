import type { SummariseInput } from '../../../machines/model-call/model-call.types.ts'
import type { Invariant } from './invariant.ts'

/** Rules of prompts whose old part a model summarises. */
export const invariantsOfSummaries: readonly Invariant[] = [
  {
    name: 'a summary is asked for once',
    rule: 'Old messages are summarized if the prompt has outgrown its budget or was refused, once for each model call (CTX-02).',
    atHappening: ({ facts, move }, seen) => {
      if (seen.kind !== 'effect' || seen.effect.src !== 'summarise') return undefined
      const { modelIndex, turn, isRefused = false } = seen.effect.input as SummariseInput
      if (modelIndex !== facts.modelIndex || turn !== facts.turn) return 'the prompt of another call was told in short'
      if (move?.type !== 'complete' || move.outcome !== 'outgrown') return 'no prompt has outgrown its budget'
      if (isRefused !== facts.recoveries > 0) return 'a refused prompt and an outgrown one were taken for one another'
      return facts.summaries === 0 ? undefined : 'a summary was asked for again'
    },
    atEnd: ({ move, was, happenings }) => {
      if (move?.type !== 'complete' || was.verdict !== null) return undefined
      const sources = happenings.flatMap((seen) => (seen.kind === 'effect' ? seen.effect.src : []))
      if (move.outcome === 'outgrown' && !sources.includes('summarise'))
        return 'an outgrown prompt was not told in short'
      const mustAsk = move.src === 'summarise'
      return mustAsk && !sources.includes('callModel') ? 'the model was not asked with the summary' : undefined
    },
  },
]
