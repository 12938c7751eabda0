import type { Invariant } from './invariant.ts'

/** Rules of the memory, which is asked before the loop. */
export const invariantsOfMemory: readonly Invariant[] = [
  {
    name: 'a memory is asked once',
    rule: 'A memory is asked once a run, about an input that the filters have let pass, before anybody else hears of it (CTX-04).',
    atHappening: ({ facts, configuration }, seen) => {
      if (seen.kind !== 'effect') return undefined
      const { src, input } = seen.effect
      const isGiven = configuration.options.watched.includes('recall')
      if (src === 'recall') {
        if (facts.recalls > 0) return 'a memory was asked again'
        if (!isGiven) return 'a memory was asked that nobody gave'
        const isFiltered = configuration.options.watched.includes('filterInput')
        if (isFiltered && !facts.said.passed.includes('prompt'))
          return 'a memory was asked about what no filter has seen'
        return (input as { readonly input: string }).input === 'row' ? undefined : 'a memory was asked about no input'
      }
      const isNext = src === 'buildContext' || src === 'callModel' || isRunStart(src, input)
      return isNext && isGiven && facts.recalls === 0 ? 'a memory was passed by' : undefined
    },
  },
]

function isRunStart(src: string, input: unknown): boolean {
  return src === 'ask' && (input as { readonly phase: string }).phase === 'runStart'
}
