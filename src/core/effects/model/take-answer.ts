import type { Attempted, CallModelInput } from '../../../../machines/model-call/model-call.types.ts'
import { defined, freezeDeep, type Json } from '../../domain/text/json.ts'
import type { Write } from '../../domain/log.ts'
import type { AssistantMessage, ExtensionMessage } from '../../domain/message.ts'
import type { EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import type { Model } from '../../ports/model.ts'
import type { MovedCut } from '../../prompt/cut.ts'
import type { PaidRequest } from '../../domain/paid-requests.ts'
import type { AgentParts } from '../agent-parts.ts'
import { nameOfModel } from './order-models.ts'
import { planCalls, type PlanParts, type UnrunCall } from '../permissions/plan-calls.ts'

/** The dependencies of processing an answer. */
export interface TakenParts extends PlanParts, Pick<AgentParts, 'pluginTimeoutMs' | 'output' | 'plugins'> {
  readonly model: Model
}

/** A complete answer, with the time at which its attempt began, in Unix milliseconds. */
export interface StreamedAnswer {
  readonly answer: AssistantMessage
  readonly startedAt: number
  /** The place where the prompt is cut from now on. */
  readonly cut?: MovedCut | undefined
  /** Names the pictures and files that the prompt left out. The transcript has it before the answer. */
  readonly leftOut?: ExtensionMessage | undefined
  readonly prefixShare?: number | undefined
}

/** Processes an answer: gives ids and priorities to its calls, and a verdict for each call. */
export async function takeAnswer(
  parts: TakenParts,
  input: CallModelInput,
  { answer, startedAt, cut, leftOut, prefixShare }: StreamedAnswer,
  context: EffectContext,
): Promise<EffectResult<Attempted>> {
  const turn = context.view.carriedTurns + input.turn
  const planned = await planCalls(parts, { ...input, turn }, answer, context)
  const { message, plans, dropped, unrun } = planned
  const records = planned.isAsking
    ? await (await import('../permissions/preview-calls.ts')).previewCalls(parts, planned, context)
    : planned.records
  const { usage, cost = 0 } = answer
  const bounds = { ...context, pluginTimeoutMs: parts.pluginTimeoutMs }
  const judged =
    parts.output === undefined || hasCalls(message)
      ? undefined
      : await (await import('./judge-output.ts')).judgeOutput(parts.output, message, bounds)
  const misfit = judged?.misfit === undefined ? {} : { misfit: judged.misfit }
  const at = context.clock.now()
  const moved = [...cutWrites(cut), ...noteWrites(leftOut)]
  return {
    output: (seq) => ({
      kind: 'answered',
      answer: { seq: seq + moved.length, calls: plans, dropped, ...misfit, usage, cost, startedAt, at },
    }),
    writes: [
      ...moved,
      { kind: 'append', message: freezeDeep(message), ...(prefixShare === undefined ? {} : { prefixShare }) },
      ...(judged?.writes ?? []),
      ...records.map((call): Write => ({ kind: 'reserve', call: freezeDeep(call) })),
      ...unrun.flatMap(settledUnrun),
    ],
  }
}

/** Stores the cost of a refused answer, and nothing else of it. */
export function refuseAnswer(
  model: Model,
  { reason, answer, startedAt, cut, leftOut }: StreamedAnswer & { readonly reason: string },
  { clock }: EffectContext,
): EffectResult<Attempted> {
  const { usage, cost, executionUnits } = answer
  const paid: PaidRequest = { model: nameOfModel(model), usage, ...defined({ cost, executionUnits }) }
  return {
    output: { kind: 'refused', reason, usage, cost: cost ?? 0, startedAt, at: clock.now() },
    writes: [
      ...cutWrites(cut),
      ...noteWrites(leftOut),
      { kind: 'value', name: 'refusal', value: paid as unknown as Json },
    ],
  }
}

/** Returns the writes that record the new cut of the prompt. */
export function cutWrites(cut: MovedCut | undefined): readonly Write[] {
  return cut === undefined ? [] : [{ kind: 'value', name: 'compaction', value: cut as unknown as Json }]
}

function noteWrites(message: ExtensionMessage | undefined): readonly Write[] {
  return message === undefined ? [] : [{ kind: 'append', message }]
}

function hasCalls({ content }: AssistantMessage): boolean {
  return content.some(({ type }) => type === 'toolCall')
}

/** Writes the result with the answer, so that no later step carries the call. */
function settledUnrun({ callId, text }: UnrunCall): readonly Write[] {
  return [
    { kind: 'result', callId, text },
    { kind: 'call', callId, patch: { status: 'failed' } },
  ]
}
