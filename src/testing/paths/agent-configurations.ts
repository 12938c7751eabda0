import { runOptionsOf } from '../../driving/run-options.ts'
import { planTurn } from '../../agent/plan-turn.ts'
import type { CallPlan } from '../../domain/call-plan.ts'
import { type TestedAgent, answerOf, optionsOf, type Script } from './agent-under-test.ts'
import type { Configuration, OutcomeNames } from '../charts/exploration-types.ts'

const bothDecisions = ['resume', 'cancel'] as const

/** A script with what the agent plans to do with the calls of each of its turns. */
export interface PlannedScript extends Script {
  readonly plans: readonly (readonly CallPlan[])[]
}

/** Asks the agent's own tools what is to be done with the calls of a script. */
export async function planScript(agent: TestedAgent, script: Script): Promise<PlannedScript> {
  const plans: (readonly CallPlan[])[] = []
  for (const index of script.turns.keys()) {
    plans.push(await planTurn(optionsOf(agent, script), index + 1, answerOf(script, index + 1)))
  }
  return { ...script, plans }
}

/** The agent as small systems to explore: one for its model, and one for each script whose calls differ in kind. */
export function configurationsOf(agent: TestedAgent, scripts: readonly PlannedScript[]): readonly Configuration[] {
  const kinds = new Map(scripts.map((script) => [kindOf(script), script] as const).toReversed())
  const withCalls = [...kinds.values()].toReversed().filter(({ plans }) => plans.flat().length > 0)
  return [modelOf(agent), ...withCalls.map((script) => configurationOf(agent, script))]
}

function kindOf({ plans }: PlannedScript): string {
  return JSON.stringify(
    plans.map((turn) => turn.map(({ callId: _callId, callHash: _callHash, verdict, ...kind }) => [kind, verdict.kind])),
  )
}

function modelOf(agent: TestedAgent): Configuration {
  const misfits = agent.output === undefined ? [] : (['unfit', 'spoiled'] as const)
  const callModel = ['text', 'truncated', 'busy', 'broken', ...misfits] as const
  const bare = configurationOf(agent, { name: 'nothing', turns: [], plans: [], sample: 1 })
  return {
    ...bare,
    name: 'the model answers, is cut off, is busy and breaks',
    outcomes: { ...bare.outcomes, callModel },
    interference: { ...bare.interference, says: ['steer', 'followUp'] },
  }
}

function configurationOf(agent: TestedAgent, script: PlannedScript): Configuration {
  const isAlone = script.plans.flat().length < 2
  return {
    name: `the model calls ${script.name}`,
    options: runOptionsOf(optionsOf(agent, script)),
    turns: script.plans.map((turn) => turn.map(withKnownVerdict)),
    outcomes: outcomesOf(agent, script.plans.flat()),
    interference: {
      decisions: bothDecisions,
      cancelRun: true,
      ...(isAlone ? { cancelCall: true, kept: bothDecisions, fail: true } : {}),
    },
    reason: 'approval',
    maxSuspensions: isAlone ? 2 : 1,
  }
}

/** An exploration counts the suspensions of a call, and refuses with one text. */
function withKnownVerdict(plan: CallPlan): CallPlan {
  const suspension = { id: `${plan.callId}/s1`, reason: 'approval' } as const
  switch (plan.verdict.kind) {
    case 'suspended':
      return { ...plan, verdict: { kind: 'suspended', suspension } }
    case 'refused':
      return { ...plan, verdict: { kind: 'refused', text: 'Blocked.' } }
    case 'allowed':
    case 'supplied':
    case 'skipped':
      return plan
  }
}

function outcomesOf(agent: TestedAgent, plans: readonly CallPlan[]): OutcomeNames {
  const isGated = isWatched(agent, 'beforeToolExecute')
  const retries = agent.tools.some(({ retry }) => retry !== undefined)
  const usesResult = plans.some(({ resumeMode }) => resumeMode === 'use-as-result')
  const refusals = isGated ? (['refused', 'suspended'] as const) : []
  return {
    gateCall: ['allowed', ...refusals],
    gateReplay: ['allowed', ...refusals, ...(usesResult ? (['supplied'] as const) : [])],
    runTool: ['succeeded', 'failed', 'suspended', ...(retries ? (['retried'] as const) : [])],
    runPhase: endingsOf(agent),
    ...(agent.inputFilters === undefined ? {} : { filterInput: ['passed', 'warned', 'rejected'] as const }),
    ...(agent.contextBuilder === undefined ? {} : { buildContext: ['kept', 'replaced'] as const }),
  }
}

function endingsOf(agent: TestedAgent): readonly ('passed' | 'terminated' | 'stopped')[] {
  const { beforeLoop, beforeTurn } = agent.hooks ?? {}
  const mayStop = beforeLoop !== undefined || beforeTurn !== undefined
  const mayEnd = isWatched(agent, 'beforeInference') || isWatched(agent, 'afterInference')
  if (mayStop && !mayEnd) return ['passed', 'stopped']
  return mayEnd ? ['passed', 'terminated', 'stopped'] : ['passed']
}

/** True where a plugin of the agent listens to a phase. */
export function isWatched(
  { plugins = [] }: TestedAgent,
  phase: 'beforeInference' | 'afterInference' | 'beforeToolExecute' | 'runStart',
): boolean {
  return plugins.some((plugin) => plugin[phase] !== undefined)
}
