import type { Attempted, CallModelInput } from '../../../../machines/model-call/model-call.types.ts'
import { freezeDeep, isRecord, type Json } from '../../domain/text/json.ts'
import type { Write } from '../../domain/log.ts'
import type { AssistantMessage } from '../../domain/message.ts'
import type { EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import type { Model } from '../../ports/model.ts'
import type { MovedCut } from '../../prompt/cut.ts'
import type { AgentParts } from '../agent-parts.ts'
import { type Asking, askPlugin, listening } from '../ask-code.ts'
import { checkAnswer } from './check-answer.ts'
import { judgeOutput } from './judge-output.ts'
import { planCalls, type PlanParts, type UnrunCall } from '../permissions/plan-calls.ts'
import { previewCalls } from '../permissions/preview-calls.ts'
import { requestContext } from './request-parts.ts'

/** Whose answer is taken in, and with what. */
export interface TakenParts extends PlanParts, Pick<AgentParts, 'hookTimeoutMs' | 'output' | 'plugins'> {
  readonly model: Model
}

/** An answer that has come, and when the attempt at it began, in Unix milliseconds. */
export interface StreamedAnswer {
  readonly answer: AssistantMessage
  readonly startedAt: number
  /** Where the prompt it was given is cut from now on. */
  readonly cut?: MovedCut | undefined
  readonly prefixShare?: number | undefined
}

/** Takes an answer in: what plugins make of it, then ids, priorities and a verdict for each call. */
export async function takeAnswer(
  parts: TakenParts,
  input: CallModelInput,
  { answer, startedAt, cut, prefixShare }: StreamedAnswer,
  context: EffectContext,
): Promise<EffectResult<Attempted>> {
  const turn = context.view.carriedTurns + input.turn
  const kept = await keptOf(parts, answer, input, context)
  const planned = await planCalls(parts, { ...input, turn }, kept, context)
  const { message, plans, dropped, unrun } = planned
  const records = planned.isAsking ? await previewCalls(parts, planned, context) : planned.records
  const { usage, cost = 0 } = answer
  const bounds = { ...context, hookTimeoutMs: parts.hookTimeoutMs }
  const judged =
    parts.output === undefined || hasCalls(message) ? undefined : await judgeOutput(parts.output, message, bounds)
  const misfit = judged?.misfit === undefined ? {} : { misfit: judged.misfit }
  const at = context.clock.now()
  const moved = cutWrites(cut)
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

/** The write that records the new cut of the prompt. */
export function cutWrites(cut: MovedCut | undefined): readonly Write[] {
  return cut === undefined ? [] : [{ kind: 'value', name: 'compaction', value: cut as unknown as Json }]
}

/** The answer with what plugins make of its content in their order; what was used and paid stays. */
async function keptOf(
  { model, plugins, hookTimeoutMs }: TakenParts,
  answer: AssistantMessage,
  { turn }: CallModelInput,
  context: EffectContext,
): Promise<AssistantMessage> {
  let kept = answer
  for (const plugin of listening(plugins, 'onAnswer')) {
    const take = async ({ shown, signal }: Asking<AssistantMessage>) => {
      const given: unknown = await plugin.onAnswer?.(shown, requestContext(model, turn, context, signal))
      return given === undefined ? shown : withContent(model, shown, given)
    }
    kept = await askPlugin(plugin, 'onAnswer', { ...context, hookTimeoutMs }, take, kept)
  }
  return kept
}

function withContent(model: Model, answer: AssistantMessage, given: unknown): AssistantMessage {
  if (!isRecord(given) || !Array.isArray(given['content'])) {
    throw new TypeError('it gave no content. Expected { content: [text, thinking or toolCall blocks] }, or nothing.')
  }
  const { content } = given as unknown as AssistantMessage
  const { cost } = answer
  return { ...checkAnswer(model, { ...answer, content }), ...(cost === undefined ? {} : { cost }) }
}

function hasCalls({ content }: AssistantMessage): boolean {
  return content.some(({ type }) => type === 'toolCall')
}

/** Its result is written with the answer itself, so that no later step has to carry the call. */
function settledUnrun({ callId, text }: UnrunCall): readonly Write[] {
  return [
    { kind: 'result', callId, text },
    { kind: 'call', callId, patch: { status: 'failed' } },
  ]
}
