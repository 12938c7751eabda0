import type { TestedAgent } from './agent-under-test.ts'
import { isWatched, type PlannedScript } from './agent-configurations.ts'

/** How a scripted tool ends a call; `runs` where the tool itself is run. */
export type CallOutcome = 'succeeds' | 'fails' | 'suspends' | 'runs'

/** What a person says to everything a run waits for. */
export type Answer = 'yes' | 'no' | 'cancel'

const everyAnswer: readonly Answer[] = ['yes', 'no', 'cancel']

/** One run of the agent: what the model asks for, how each call ends, and what is answered. */
export interface AgentCase {
  readonly name: string
  readonly script: PlannedScript
  /** By call id. */
  readonly outcomes: ReadonlyMap<string, CallOutcome>
  /** More than one where only the run itself tells whether a plugin asks anything. */
  readonly answers: readonly Answer[]
}

/**
 * Every outcome of every call of a script with every answer; of three calls and more, all ending alike, and each
 * one ending otherwise than the others.
 */
export function casesOf(agent: TestedAgent, script: PlannedScript): readonly AgentCase[] {
  const plans = script.plans.flat()
  const names: readonly CallOutcome[] = agent.execute === 'real' ? ['runs'] : ['succeeds', 'fails', 'suspends']
  const isAskedFirst = plans.some(({ verdict }) => verdict.kind === 'suspended')
  return mixesOf(names, plans.length).flatMap((mix) => {
    const outcomes = new Map(plans.map(({ callId }, place) => [callId, mix[place] ?? 'succeeds'] as const))
    const name = [...outcomes].map(([callId, outcome]) => `${callId} ${outcome}`).join(', ') || 'no call'
    if (isAskedFirst || mix.includes('suspends')) {
      return everyAnswer.map((answer) => ({ name: `${name}; asked: ${answer}`, script, outcomes, answers: [answer] }))
    }
    const mayAsk = hasRules(agent) || mix.includes('runs')
    return [{ name, script, outcomes, answers: mayAsk ? everyAnswer : everyAnswer.slice(0, 1) }]
  })
}

/** A plugin may hold a call back, or the run. */
function hasRules(agent: TestedAgent): boolean {
  return isWatched(agent, 'beforeToolExecute') || isWatched(agent, 'runStart')
}

function mixesOf(names: readonly CallOutcome[], count: number): readonly (readonly CallOutcome[])[] {
  const first = names[0] ?? 'succeeds'
  if (count === 0) return [[]]
  if (count <= 2) return mixesOf(names, count - 1).flatMap((mix) => names.map((name) => [...mix, name]))
  const alike = names.map((name) => Array.from({ length: count }, () => name))
  const others = names.filter((name) => name !== first)
  const apart = others.flatMap((name) =>
    Array.from({ length: count }, (_, at) =>
      Array.from({ length: count }, (_item, place) => (place === at ? name : first)),
    ),
  )
  return [...alike, ...apart]
}
