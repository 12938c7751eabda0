import type { Saying } from './saying.ts'

/**
 * Returns what new code does otherwise than the code before. What both do is left out, unless it cannot be known or the run
 * cannot go on. What only the code before does is named.
 */
export function differences(before: readonly Saying[], now: readonly Saying[]): readonly Saying[] {
  const isIn = (sayings: readonly Saying[], { reason }: Saying) => sayings.some((saying) => saying.reason === reason)
  if (now.some(({ outlook }) => outlook === 'stuck')) return now
  return [
    ...now.filter((saying) => saying.outlook === 'unknown' || !isIn(before, saying)),
    ...before.flatMap((saying): readonly Saying[] => {
      if (isIn(now, saying)) return []
      const outlook = saying.outlook === 'unknown' ? 'unknown' : 'otherwise'
      return [{ outlook, reason: `Only with the code before: ${saying.reason}` }]
    }),
  ]
}
