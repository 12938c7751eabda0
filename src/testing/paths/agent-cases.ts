import type { CallPlan } from '../../core/domain/call-plan.ts'
import type { DecisionScope } from '../../core/domain/decision.ts'
import type { TestedAgent } from './agent-under-test.ts'
import { ownTools } from '../../core/agent/plan-turn.ts'
import { isAsked, isRequested, isWatched, type PlannedScript } from './agent-configurations.ts'

/** How a scripted tool ends a call; `runs` where the tool itself is run. */
export type ToolOutcome = 'succeeds' | 'fails' | 'suspends' | 'runs'

/** What becomes of a call that a service is asked: an answer of this type, its error event, or no answer. */
export type ServiceOutcome = `answers ${string}` | 'answers with an error' | 'expires' | 'is cancelled'

/** How a call ends. */
export type CallOutcome = ToolOutcome | ServiceOutcome

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
  /** How far a yes or a no goes beyond its call. Default: it does not. */
  readonly scope?: DecisionScope
}

/**
 * Every outcome of every call of a script with every answer; of three calls and more, all ending alike, and each
 * one ending otherwise than the others.
 */
export function casesOf(agent: TestedAgent, script: PlannedScript): readonly AgentCase[] {
  const plans = script.plans.flat()
  const isAskedFirst = plans.some((plan) => isAsked(plan) || isRequested(plan))
  return mixesOf(plans.map((plan) => outcomesOf(agent, script, plan))).flatMap((mix) => {
    const outcomes = new Map(plans.map(({ callId }, place) => [callId, mix[place] ?? 'succeeds'] as const))
    const name = [...outcomes].map(([callId, outcome]) => `${callId} ${outcome}`).join(', ') || 'no call'
    if (isAskedFirst || mix.includes('suspends')) {
      return everyAnswer.map((answer) => ({ name: `${name}; asked: ${answer}`, script, outcomes, answers: [answer] }))
    }
    const mayAsk = hasRules(agent) || mix.includes('runs')
    return [{ name, script, outcomes, answers: mayAsk ? everyAnswer : everyAnswer.slice(0, 1) }]
  })
}

/** What a yes or a no says of later calls, where the same is called twice: asked again, or not. */
export function casesOfGrants(agent: TestedAgent, script: PlannedScript): readonly AgentCase[] {
  const outcomes = new Map(script.plans.flat().map(({ callId }) => [callId, outcomeOf(agent)] as const))
  const scopes: readonly (readonly [Answer, DecisionScope])[] = [
    ['yes', 'once'],
    ['yes', 'run'],
    ['yes', 'always'],
    ['no', 'run'],
  ]
  return scopes.map(([answer, scope]) => {
    const how = scope === 'once' ? 'once' : scope === 'run' ? 'for the run' : 'for always'
    return { name: `asked: ${answer}, ${how}`, script, outcomes, answers: [answer], scope }
  })
}

function outcomeOf({ execute }: TestedAgent): ToolOutcome {
  return execute === 'real' ? 'runs' : 'succeeds'
}

function outcomesOf(agent: TestedAgent, script: PlannedScript, { callId }: CallPlan): readonly CallOutcome[] {
  const contract = ownTools(agent).find(({ name }) => name === nameIn(script, callId))?.service
  if (contract === undefined) return agent.execute === 'real' ? ['runs'] : ['succeeds', 'fails', 'suspends']
  const { emits, expiresInMs } = contract
  const answers = Object.keys(emits).map((type) => `answers ${type}` as const)
  return [
    ...answers,
    'answers with an error',
    ...(expiresInMs === undefined ? [] : (['expires'] as const)),
    'is cancelled',
  ]
}

/** What the model calls under an id of ours. */
function nameIn({ turns }: PlannedScript, callId: string): string | undefined {
  const calls = turns.flatMap((turn, index) => turn.map(({ id, name }) => [`${index + 1}.${id}`, name] as const))
  return calls.find(([id]) => id === callId)?.[1]
}

/** A plugin may hold a call back, or the run. */
function hasRules(agent: TestedAgent): boolean {
  return isWatched(agent, 'gateCall') || isWatched(agent, 'runStart')
}

function mixesOf(calls: readonly (readonly CallOutcome[])[]): readonly (readonly CallOutcome[])[] {
  if (calls.length === 0) return [[]]
  if (calls.length <= 2)
    return mixesOf(calls.slice(0, -1)).flatMap((mix) => (calls.at(-1) ?? []).map((name) => [...mix, name]))
  const most = Math.max(...calls.map((names) => names.length))
  const alike = Array.from({ length: most }, (_, at) => calls.map((names) => names[Math.min(at, names.length - 1)]))
  const apart = calls.flatMap((names, at) =>
    names.slice(1).map((name) => calls.map((others, place) => (place === at ? name : others[0]))),
  )
  return [...alike, ...apart].map((mix) => mix.map((name) => name ?? 'succeeds'))
}
