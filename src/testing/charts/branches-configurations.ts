import { configuration } from './configuration-parts.ts'
import type { Configuration } from './exploration-types.ts'

/** A small group: a configuration with the number of its branches, and the outcomes of an evaluation. */
export interface BranchesConfiguration extends Configuration {
  readonly size: number
  /** The candidate that the strategy selects; `nobody` selects none. */
  readonly evaluate: readonly ('first' | 'last' | 'nobody')[]
}

const anyEnd = { cancelRun: true, fail: true } as const
const bothDecisions = ['resume', 'cancel'] as const

/** Small groups that together take every transition of the chart of a group. */
export const branchesConfigurations: readonly BranchesConfiguration[] = [
  {
    ...configuration('a group of one branch', {
      outcomes: { runTool: ['succeeded', 'failed', 'suspended'], gateReplay: ['allowed', 'refused', 'suspended'] },
      maxSuspensions: 2,
      interference: {
        ...anyEnd,
        decisions: bothDecisions,
        kept: bothDecisions,
        cancelCall: true,
        wake: true,
        strays: true,
      },
    }),
    size: 1,
    evaluate: ['first', 'nobody'],
  },
  {
    ...configuration('a group of two branches that ask', {
      outcomes: { runTool: ['succeeded', 'failed', 'suspended'] },
      interference: { ...anyEnd, decisions: bothDecisions, cancelCall: true },
    }),
    size: 2,
    evaluate: ['last'],
  },
  {
    ...configuration('a group of three branches', {
      outcomes: { runTool: ['succeeded', 'failed'] },
      interference: { cancelRun: true, cancelCall: true },
    }),
    size: 3,
    evaluate: ['first', 'last', 'nobody'],
  },
  {
    ...configuration('a group that is spoken to', {
      outcomes: { runTool: ['succeeded', 'suspended'] },
      interference: { cancelRun: true, decisions: ['resume'], says: ['steer', 'followUp', 'extension'] },
    }),
    size: 1,
    evaluate: ['first'],
  },
]
