import { isDeepStrictEqual } from 'node:util'
import type { Compared } from './witness.ts'

/** A difference between the versions, why it is none of the chart, and whether a step shows nothing else. */
export interface Explanation {
  readonly difference: string
  readonly reason: string
}

/** The differences that may occur. */
export const explanations = {
  childOrder: {
    difference: 'the order of children in their record',
    reason: '6 enters the actors that a state invokes before those that its entry spawns; nothing reads the order',
  },
} as const satisfies { readonly [name: string]: Explanation }

/** The result of comparing one step: equal, an explained difference, or the first field that differs. */
export type Judgement =
  | 'same'
  | keyof typeof explanations
  | { readonly field: string; readonly turns: readonly unknown[] }

/** Compares the turns of three interpreters with one event. */
export function compareTurns({ ours, five, six, contexts }: Compared): Judgement {
  for (const field of ['status', 'value', 'context', 'output', 'error', 'children', 'starts', 'acts'] as const) {
    const turns = [ours[field], five[field], six[field]]
    if (!isDeepStrictEqual(turns[0], turns[1]) || !isDeepStrictEqual(turns[1], turns[2])) return { field, turns }
  }
  if (!isDeepStrictEqual(contexts[0], contexts[1])) return { field: 'contexts of actions', turns: contexts }
  const [own, ...others] = [ours, five, six].map(({ children }) => Object.keys(children).join())
  return others.every((keys) => keys === own) ? 'same' : 'childOrder'
}
