import type { CallPlan } from '../../core/domain/call-plan.ts'
import type { DecisionScope } from '../../core/domain/decision.ts'
import type { TestedAgent } from './agent-under-test.ts'
import { ownTools } from '../../core/agent/plan-turn.ts'
import { isAsked, isRequested, isWatched, type PlannedScript } from './agent-configurations.ts'

/** The end of a scripted tool's call; `runs` if the tool itself is executed. */
export type ToolOutcome = 'succeeds' | 'fails' | 'suspends' | 'runs'

/** The end of a call to a service: an answer of this type, its error event, or no answer. */
export type ServiceOutcome = `answers ${string}` | 'answers with an error' | 'expires' | 'is cancelled'

/** The end of a call. */
export type CallOutcome = ToolOutcome | ServiceOutcome

/** A person's answer to everything that a run waits for. */
export type Answer = 'yes' | 'no' | 'cancel'

const everyAnswer: readonly Answer[] = ['yes', 'no', 'cancel']

/** One run of the agent: the calls of the model, the end of each call, and the answers. */
export interface AgentCase {
  readonly name: string
  readonly script: PlannedScript
  /** By call id. */
  readonly outcomes: ReadonlyMap<string, CallOutcome>
  /** Several answers if only the run itself shows whether a plugin asks. */
  readonly answers: readonly Answer[]
  /** The scope of a yes or a no. Default: only its call. */
  readonly scope?: DecisionScope
}

/**
 * Returns every outcome of every call of a script with every answer. For three and more calls: all calls with the same
 * outcome, and each call with a different outcome from the others.
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

/** Returns the cases of wider scopes, for a script that makes the same call twice: the second one asks, or not. */
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

/** Returns the name of the tool that the model calls under a call id. */
function nameIn({ turns }: PlannedScript, callId: string): string | undefined {
  const calls = turns.flatMap((turn, index) => turn.map(({ id, name }) => [`${index + 1}.${id}`, name] as const))
  return calls.find(([id]) => id === callId)?.[1]
}

/** Returns true if a plugin may suspend a call or hold the run. */
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
