import type { RuleAnswer } from './match-rules.ts'

/**
 * Joins the answers of the rules of every level of a family: deny, then ask, then allow. A level above never allows, because
 * the call is not its own. If several levels ask, each of them has to be answered, and the strictest one decides how.
 */
export function joinLevels(
  own: RuleAnswer | undefined,
  above: readonly (RuleAnswer | undefined)[],
): RuleAnswer | undefined {
  const said = [own, ...above].flatMap((answer) => answer ?? [])
  const denied = said.find(({ effect }) => effect === 'deny')
  if (denied !== undefined) return denied
  const [first, ...others] = said.filter(({ effect }) => effect === 'ask')
  if (first === undefined) return own
  return others.reduce<RuleAnswer>(
    (joined, answer) => ({
      ...joined,
      asking: [...new Set([...askingOf(joined), ...askingOf(answer)])],
      isUnclear: joined.isUnclear === true || answer.isUnclear === true,
      isPartial: joined.isPartial === true && answer.isPartial === true,
    }),
    first,
  )
}

function askingOf({ asking, rule }: RuleAnswer): readonly string[] {
  return asking ?? [rule.text]
}
