import type { RunContext } from '../../../../machines/run/run.types.ts'
import type { CallRecord, ResumeMode } from '../../domain/call.ts'
import type { Decision } from '../../domain/decision.ts'
import { limitQuestion } from '../../domain/limit-hold.ts'
import { isPermissionHold } from '../../domain/permission-request.ts'
import type { Json } from '../../domain/text/json.ts'
import type { OwnParts } from '../../driving/agent-core.ts'
import { payloadProblem } from '../../effects/tools/payload-problem.ts'
import { asksModel, codeThatDecides } from './code-that-decides.ts'
import { askedAgain, forecastCall, toolOf } from './forecast-call.ts'
import type { ForecastRun } from './open-call.ts'

/** The consequence of one answer to a waiting call. */
export interface AnswerPreview {
  readonly action: 'approve' | 'deny' | 'edit' | 'respond' | 'pass'
  /** One to three sentences, up to the next model answer. */
  readonly text: string
  /**
   * The next step: the model is asked (`model`), the run waits for another answer (`waits`) or ends (`ends`), or your code
   * decides (`unknown`).
   */
  readonly next: 'model' | 'waits' | 'ends' | 'unknown'
}

interface About {
  readonly run: ForecastRun
  /** The reason for which another version has to take the answer. */
  readonly left: string | undefined
  /** The arguments of an edit, if they are known. */
  readonly edit: Json | undefined
}

/** Returns the calls that wait for an answer. */
export function waiting({ log, cancelled, decisions, now }: ForecastRun): readonly CallRecord[] {
  if (cancelled === undefined) return []
  return log.calls().filter(({ callId, status, suspension }) => {
    const isAnswered = decisions.some(({ suspensionId }) => suspensionId === suspension?.id)
    return status === 'suspended' && !isAnswered && !cancelled.has(callId) && (suspension?.expiresAt ?? Infinity) > now
  })
}

/** Returns the consequence of each answer to a call. */
export async function previewAnswer(
  parts: OwnParts,
  call: CallRecord,
  about: About,
): Promise<readonly AnswerPreview[]> {
  const others = waiting(about.run).filter(({ callId }) => callId !== call.callId)
  const previews: AnswerPreview[] = []
  for (const action of actionsOf(call)) {
    const { text, next, isGated = false } = await led(parts, call, action, about)
    const isAsked = asksModel(about.run.state.context as RunContext)
    const deciding = next === undefined ? codeThatDecides(parts, about.run, { isGated, isAsked, isOpen: true }) : []
    const follows = next ?? (deciding.length > 0 ? 'unknown' : others.length > 0 ? 'waits' : isAsked ? 'model' : 'ends')
    const words = [text, ...(next === undefined ? after(others, isAsked) : []), ...deciding.map(({ reason }) => reason)]
    previews.push({
      action,
      text: [...words, ...(about.left === undefined ? [] : [about.left])].join(' '),
      next: follows,
    })
  }
  return previews
}

function after(others: readonly CallRecord[], isAsked: boolean): readonly string[] {
  if (others.length === 0) return [isAsked ? 'The model is asked next.' : 'The run ends next.']
  return [`The run still waits for ${others.map(({ toolName, callId }) => `${toolName} (${callId})`).join(', ')}.`]
}

type Action = AnswerPreview['action']

function actionsOf(call: CallRecord): readonly Action[] {
  if (limitQuestion(call) !== undefined) return ['respond', 'deny']
  if (call.isHold === true) return ['approve', 'deny']
  return valueActions[call.isSent === true ? 'use-as-result' : call.resumeMode]
}

const valueActions: Readonly<Record<ResumeMode, readonly Action[]>> = {
  replay: ['approve', 'edit', 'deny'],
  'use-as-result': ['respond', 'deny'],
  'pass-to-tool': ['pass', 'deny'],
}

/** The first sentence, and what follows if no other call and no model call does. */
interface Led {
  readonly text: string
  readonly next?: AnswerPreview['next']
  readonly isGated?: boolean
}

async function led(parts: OwnParts, call: CallRecord, action: Action, { run, edit }: About): Promise<Led> {
  const { toolName } = call
  if (call.isHold === true) return ofHold(call, action)
  if (action === 'deny') return { text: `"${toolName}" does not run, and the model is told that it was denied.` }
  const given = action === 'edit' && edit !== undefined ? { input: edit } : {}
  const problem = action === 'edit' ? await payloadProblem(call, given, toolOf(parts, call)) : undefined
  if (problem !== undefined) return { text: `The edit is refused. ${problem}`, next: 'waits' }
  const { sayings, isGated } = await forecastCall(parts, call, decided(run, call, action, given))
  const [first] = sayings
  if (first === undefined) return { text: words[action](toolName, edit !== undefined), isGated }
  if (first.outlook === 'unknown') return { text: first.reason, next: 'unknown' }
  return { text: first.reason, isGated, ...(first.reason.includes(askedAgain) ? { next: 'waits' as const } : {}) }
}

const words: Readonly<Record<Exclude<Action, 'deny'>, (name: string, isKnown: boolean) => string>> = {
  approve: (name) => `"${name}" runs with the arguments that are shown.`,
  edit: (name, isKnown) =>
    isKnown
      ? `"${name}" runs with the edited arguments.`
      : `"${name}" runs with other arguments, if they fit its schema and no rule refuses them.`,
  respond: (name) => `"${name}" does not run here, and the value is its result.`,
  pass: (name) => `"${name}" runs with the value, if it fits its schema and no rule refuses it.`,
}

/** Returns the run with the decision stored. A value that nobody has given is left open. */
function decided(run: ForecastRun, call: CallRecord, action: Action, given: Pick<Decision, 'input'>): ForecastRun {
  if (action !== 'approve' && action !== 'edit') return run
  const { callId, suspension } = call
  const decision = { target: callId, callId, suspensionId: suspension?.id ?? null, decisionId: '', at: run.now }
  return { ...run, decisions: [...run.decisions, { ...decision, action: 'resume', ...given }] }
}

/** A hold is a question of the run itself. */
function ofHold(call: CallRecord, action: Action): Led {
  if (isPermissionHold(call)) {
    const then = action === 'deny' ? 'are refused, and the model is told' : 'run'
    return { text: `The calls that wait for this permission ${then}.` }
  }
  if (action === 'deny') return { text: 'The run ends.', next: 'ends' }
  return { text: 'The run goes on.' }
}
