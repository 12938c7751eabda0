import type { Phase } from '../../../machines/run/run.phases.ts'
import { runOptionsOf } from '../../core/driving/run-options.ts'
import { planTurn } from '../../core/agent/plan-turn.ts'
import type { CallPlan } from '../../core/domain/call-plan.ts'
import type { SuspensionReason } from '../../core/domain/suspension.ts'
import { type TestedAgent, answerOf, optionsOf, type Script } from './agent-under-test.ts'
import type { Configuration, OutcomeNames } from '../charts/exploration-types.ts'

const bothDecisions = ['resume', 'cancel'] as const

/** A script with the agent's plans for the calls of each turn. */
export interface PlannedScript extends Script {
  readonly plans: readonly (readonly CallPlan[])[]
}

/** Asks the agent's own tools for the plans of a script's calls. */
export async function planScript(agent: TestedAgent, script: Script): Promise<PlannedScript> {
  const plans: (readonly CallPlan[])[] = []
  for (const index of script.turns.keys()) {
    plans.push(await planTurn(optionsOf(agent, script), index + 1, answerOf(script, index + 1)))
  }
  return { ...script, plans }
}

/**
 * Returns the agent as configurations to explore: one for its model, one for each script whose calls differ in kind,
 * and one more for a call that needs an approval which a grant may replace.
 */
export function configurationsOf(agent: TestedAgent, scripts: readonly PlannedScript[]): readonly Configuration[] {
  const kinds = new Map(scripts.map((script) => [kindOf(script), script] as const).toReversed())
  const withCalls = [...kinds.values()].toReversed().filter(({ plans }) => plans.flat().length > 0)
  return [
    modelOf(agent),
    ...withCalls.flatMap((script) => {
      const own = configurationOf(agent, script)
      return isAlone(script) && script.plans.flat().some(isGrantable) ? [own, grantedOf(own)] : [own]
    }),
  ]
}

function isAlone({ plans }: PlannedScript): boolean {
  return plans.flat().length < 2
}

/** Returns true if a person must approve the call and the approval may also count for similar calls. */
export function isGrantable(plan: CallPlan): boolean {
  return isAsked(plan) && plan.resumeMode === 'replay'
}

/** Returns true if a person must approve the call before it runs. */
export function isAsked({ verdict }: CallPlan): boolean {
  return verdict.kind === 'suspended' && verdict.suspension.reason === 'approval'
}

/** Returns the same configuration with calls that an earlier grant allows; the grant may be revoked before the gate. */
function grantedOf(own: Configuration): Configuration {
  const granted = (plan: CallPlan): CallPlan =>
    isGrantable(plan) ? { ...plan, verdict: { kind: 'allowed', isGranted: true } } : plan
  const outcomes = { ...own.outcomes, gateCall: ['allowed', 'refused', 'suspended'] as const }
  const turns = own.turns.map((turn) => turn.map(granted))
  const interference = { decisions: bothDecisions, cancelCall: true }
  return { ...own, name: `${own.name}, by a grant`, turns, outcomes, interference, maxSuspensions: 1 }
}

function kindOf({ plans }: PlannedScript): string {
  return JSON.stringify(
    plans.map((turn) => turn.map(({ callId: _callId, callHash: _callHash, verdict, ...kind }) => [kind, verdict.kind])),
  )
}

function modelOf(agent: TestedAgent): Configuration {
  const misfits = agent.output === undefined ? [] : (['unfit', 'spoiled'] as const)
  const refusals = isWatched(agent, 'onAnswer') ? (['refused'] as const) : []
  const callModel = ['text', 'truncated', 'busy', 'broken', 'mediaRefused', ...misfits, ...refusals] as const
  const bare = configurationOf(agent, { name: 'nothing', turns: [], plans: [], sample: 1 })
  return {
    ...bare,
    name: 'the model answers, is cut off, is busy, refuses a file and breaks',
    outcomes: { ...bare.outcomes, callModel },
    interference: { ...bare.interference, says: ['steer', 'followUp'] },
  }
}

function configurationOf(agent: TestedAgent, script: PlannedScript): Configuration {
  const plans = script.plans.flat()
  const isSingle = isAlone(script)
  return {
    name: `the model calls ${script.name}`,
    options: runOptionsOf(optionsOf(agent, script)),
    turns: script.plans.map((turn) => turn.map(withKnownVerdict)),
    outcomes: outcomesOf(agent, plans),
    interference: {
      decisions: bothDecisions,
      cancelRun: true,
      ...(isSingle || plans.some(isSent) ? { cancelCall: true } : {}),
      ...(plans.some(expires) ? { expiry: true } : {}),
      ...(isSingle ? { kept: bothDecisions, fail: true } : {}),
    },
    reason: reasonOf(plans),
    maxSuspensions: isSingle ? 2 : 1,
  }
}

/** Returns true if the plan of a call sends it to a service. */
function isSent({ verdict }: CallPlan): boolean {
  return verdict.kind === 'suspended' && verdict.suspension.reason === 'service'
}

function expires({ verdict }: CallPlan): boolean {
  return verdict.kind === 'suspended' && verdict.suspension.expiresAt !== undefined
}

/** Returns true if a call is blocked and its permission is requested from the manager. */
export function isRequested({ verdict }: CallPlan): boolean {
  return verdict.kind === 'refused' && verdict.isRequested === true
}

/** Returns the reason of all suspensions in an exploration: the manager's request, the service, or else an approval. */
function reasonOf(plans: readonly CallPlan[]): SuspensionReason {
  if (plans.some(isRequested)) return 'permission'
  return plans.length > 0 && plans.every(isSent) ? 'service' : 'approval'
}

/** Replaces a verdict's ids and texts by the fixed ones of an exploration. */
function withKnownVerdict(plan: CallPlan): CallPlan {
  switch (plan.verdict.kind) {
    case 'suspended': {
      const { reason, expiresAt } = plan.verdict.suspension
      const suspension = { id: `${plan.callId}/s1`, reason, ...(expiresAt === undefined ? {} : { expiresAt: expiry }) }
      return { ...plan, verdict: { kind: 'suspended', suspension } }
    }
    case 'refused':
      return { ...plan, verdict: { kind: 'refused', text: 'Blocked.', ...(isRequested(plan) ? asked : {}) } }
    case 'allowed':
    case 'supplied':
    case 'skipped':
      return plan
  }
}

/** The expiry of a suspension in an exploration, in Unix milliseconds. */
const expiry = 5
const asked = { isRequested: true } as const

function outcomesOf(agent: TestedAgent, plans: readonly CallPlan[]): OutcomeNames {
  const isGated = isWatched(agent, 'gateCall') || agent.permissions !== undefined
  const retries = agent.tools.some(({ retry }) => retry !== undefined)
  const usesResult = plans.some(({ resumeMode }) => resumeMode === 'use-as-result')
  const refusals = isGated ? (['refused', 'suspended'] as const) : []
  // A service may report an error, or send an answer that its contract does not have.
  const answers = plans.some(isSent) ? (['supplied', 'suppliedBadly', 'suspended'] as const) : []
  const results = usesResult || plans.some(isRequested) ? (['supplied'] as const) : []
  const isAllSent = plans.length > 0 && plans.every(isSent)
  const allowed = isAllSent ? [] : (['allowed'] as const)
  return {
    gateCall: isAllSent ? ['suspended', 'refused'] : ['allowed', ...refusals],
    gateReplay: [...new Set([...allowed, ...refusals, ...answers, ...results])],
    ...(plans.some(isRequested) ? { askManager: ['asked', 'failed'] as const } : {}),
    runTool: ['succeeded', 'failed', 'suspended', ...(retries ? (['retried'] as const) : [])],
    ask: endingsOf(agent),
    ...(isWatched(agent, 'filterInput') ? { filterInput: ['passed', 'warned', 'rejected'] as const } : {}),
    ...(isWatched(agent, 'buildContext') ? { buildContext: ['kept', 'replaced'] as const } : {}),
  }
}

function endingsOf(agent: TestedAgent): readonly ('passed' | 'terminated' | 'stopped')[] {
  const mayStop = isWatched(agent, 'beforeRun') || isWatched(agent, 'beforeTurn')
  const mayEnd = isWatched(agent, 'beforeModel') || isWatched(agent, 'afterModel')
  if (mayStop && !mayEnd) return ['passed', 'stopped']
  return mayEnd ? ['passed', 'terminated', 'stopped'] : ['passed']
}

/** Returns true if a plugin of the agent listens to a phase. */
export function isWatched({ plugins = [] }: TestedAgent, phase: Phase): boolean {
  return plugins.some((plugin) => plugin[phase] !== undefined)
}
