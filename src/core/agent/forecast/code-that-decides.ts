import { reachedLimit } from '../../../../machines/run/run.limits.ts'
import { type Phase, phaseNames, phaseRow } from '../../../../machines/run/run.phases.ts'
import type { RunContext } from '../../../../machines/run/run.types.ts'
import type { OwnParts } from '../../driving/agent-core.ts'
import type { Saying } from './saying.ts'
import type { ForecastRun } from './open-call.ts'

/** The steps before an open run, up to the next model answer. */
export interface Ahead {
  /** True if a call passes the gate. */
  readonly isGated: boolean
  /** True if a call is open. */
  readonly isOpen: boolean
  /** True if the model is asked. */
  readonly isAsked: boolean
}

/** Returns true if the model is asked before the run ends. */
export function asksModel(context: RunContext): boolean {
  const { ending, isLastCall, isUnanswered } = context
  if (isLastCall || isUnanswered) return true
  const plan = 'plan' in ending ? ending.plan : undefined
  if (plan !== undefined && plan.reason !== 'natural_end') return false
  return (reachedLimit(context)?.action ?? 'finish') === 'finish'
}

/** Returns the user's code that decides what an open run does: a plugin, or the authorisation of its calls. */
export function codeThatDecides({ plugins, permissions }: OwnParts, run: ForecastRun, ahead: Ahead): readonly Saying[] {
  const passed = phasesAhead(run, ahead)
  const decides = plugins.flatMap((plugin) => {
    const moments = phaseNames.filter(
      (phase) => passed.has(phase) && plugin[phase] !== undefined && phaseRow(phase).rights?.length !== 0,
    )
    return moments.length === 0 ? [] : [`plugin "${plugin.name}" at ${moments.join(', ')}`]
  })
  if (ahead.isGated && permissions?.policy !== undefined) decides.push('the permission policy')
  if (isRequested(run) && permissions?.manager !== undefined) decides.push('the permission manager')
  return decides.map((what) => ({ outlook: 'unknown', reason: `Code decides: ${what}.` }))
}

/** Returns true if a request for permission is to be made, and no manager is left to make it: the run ends there. */
export function lacksManager({ permissions }: OwnParts, run: ForecastRun): boolean {
  return isRequested(run) && permissions?.manager === undefined
}

function isRequested({ state }: ForecastRun): boolean {
  return (state.context as RunContext).requested.length > 0
}

const opening: readonly Phase[] = ['beforeRun', 'filterInput', 'recall', 'buildContext', 'runStart']
const gate: readonly Phase[] = ['gateCall', 'beforeTool']
const settling: readonly Phase[] = ['onToolValue', 'beforeUpdate', 'reviewCall']
const asking: readonly Phase[] = ['stepStart', 'beforeModel', 'beforeTurn', 'buildPrompt', 'transformRequest']

function phasesAhead({ state, wanted }: ForecastRun, { isGated, isOpen, isAsked }: Ahead): ReadonlySet<Phase> {
  const { input, queue, since } = state.context as RunContext
  const asked = wanted.flatMap(({ src, input: given }) => (src === 'ask' ? (given as { phase: Phase }).phase : []))
  return new Set([
    ...asked,
    ...(input === 'taken' ? [] : opening),
    ...(queue.length === 0 ? [] : (['filterInput'] as const)),
    // Time counts unless the run waits, and a run that leaves its wait starts again.
    ...(since === 0 ? (['runStart'] as const) : []),
    ...(isGated ? gate : []),
    ...(isOpen ? settling : []),
    ...(isAsked ? asking : []),
  ])
}
