import type { AskedBy } from './grant.ts'
import type { RuleAnswer } from './match-rules.ts'

/** The answer of the rules of one agent. */
export interface LevelAnswer {
  readonly agent: string
  readonly answer: RuleAnswer | undefined
}

/** The answer of the rules of every level, with each question that has to be answered. */
export interface JoinedAnswer extends RuleAnswer {
  readonly questions: readonly AskedBy[]
}

/**
 * Joins the answers of the rules of every level of a family: deny, then ask, then allow. A level above never allows, because
 * the call is not its own. If several levels ask, each of them has to be answered, and the strictest one decides how.
 */
export function joinLevels(own: LevelAnswer, above: readonly LevelAnswer[]): JoinedAnswer | undefined {
  const said = [own, ...above].flatMap(({ agent, answer }) => answer && joined(agent, answer))
  const denied = said.find((answer) => answer?.effect === 'deny')
  if (denied !== undefined) return denied
  const [first, ...others] = said.flatMap((answer) => (answer?.effect === 'ask' ? answer : []))
  if (first === undefined) return own.answer && joined(own.agent, own.answer)
  return others.reduce<JoinedAnswer>(
    (before, answer) => ({
      ...before,
      questions: [...before.questions, ...answer.questions],
      isUnclear: before.isUnclear === true || answer.isUnclear === true,
      isPartial: before.isPartial === true && answer.isPartial === true,
    }),
    first,
  )
}

function joined(asker: string, answer: RuleAnswer): JoinedAnswer {
  const rules = new Set(answer.asking ?? [answer.rule.text])
  return { ...answer, questions: [...rules].map((rule) => ({ asker, rule })) }
}
