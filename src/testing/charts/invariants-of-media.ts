import type { Invariant } from './invariant.ts'

const asking: readonly string[] = ['callModel', 'compactPrompt', 'summarise']

/** Rules of pictures and files that a model refuses. */
export const invariantsOfMedia: readonly Invariant[] = [
  {
    name: 'refused media are left out once',
    rule: 'A request refused with new pictures or files is made once more without them, and so is the rest of the model call (PRV-11).',
    atHappening: ({ facts }, seen) => {
      if (seen.kind !== 'effect' || !asking.includes(seen.effect.src)) return undefined
      const isLeftOut = (seen.effect.input as { readonly refusal?: string }).refusal !== undefined
      if (isLeftOut && facts.omissions === 0) return 'media were left out that no model has refused'
      return isLeftOut || facts.omissions === 0 ? undefined : 'media were sent again that the model has refused'
    },
    atEnd: ({ move, was, happenings }) => {
      if (move?.type !== 'complete' || move.outcome !== 'mediaRefused' || was.verdict !== null) return undefined
      const asked = happenings.flatMap((seen) => (seen.kind === 'effect' ? seen.effect : []))
      const again = asked.find(({ src }) => src === 'callModel')
      if (was.omissions > 0) return again === undefined ? undefined : 'a model was asked a third time'
      if (again === undefined) return 'no model was asked without the media that it has refused'
      const { modelIndex, turn } = again.input as { readonly modelIndex: number; readonly turn: number }
      return modelIndex === was.modelIndex && turn === was.turn
        ? undefined
        : 'another model was asked without the media'
    },
  },
]
