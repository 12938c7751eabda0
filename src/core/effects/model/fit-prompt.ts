import type { CallModelInput } from '../../../../machines/model-call/model-call.types.ts'
import type { ModelMessage } from '../../domain/message.ts'
import type { RequestPlan } from '../../domain/request-plan.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Model } from '../../ports/model.ts'
import type { MovedCut } from '../../prompt/cut.ts'
import { type PromptRoom, promptRoom } from '../../prompt/prompt-room.ts'
import type { AgentParts } from '../agent-parts.ts'
import type { ToolTable } from '../agent-tools.ts'
import { type BuiltPrompt, PromptFit } from './prompt-fit.ts'
import { instructionsOf } from './request-parts.ts'
import type { RunMemory } from './run-memory.ts'

/** The attempt for which a prompt is fitted. */
export interface FittedCall {
  readonly model: Model
  readonly input: Pick<CallModelInput, 'turn' | 'isSummarised'>
  readonly plan: RequestPlan
  readonly tools: ToolTable
}

/** The messages that are sent. */
export interface FittedPrompt {
  readonly messages: readonly ModelMessage[]
  /** The number of answers since each message entered. */
  readonly seen: readonly number[]
  /** The new place of the cut; absent if the log has it. */
  readonly moved?: MovedCut
  /** True if a summary is to be made before it is sent; else absent. */
  readonly isOutgrown?: boolean
}

interface Target {
  readonly fit: PromptFit
  readonly overhead: number
  readonly room: PromptRoom
}

/** Removes from a prompt the parts that do not fit: by the logged cut, and by a further cut if necessary. */
export async function fitPrompt(
  parts: AgentParts,
  prompt: BuiltPrompt,
  call: FittedCall,
  memory: RunMemory,
  context: EffectContext,
): Promise<FittedPrompt> {
  const fit = (memory.fit ??= new PromptFit(parts, call.input.turn, context))
  fit.take(prompt, context)
  const isWished = fit.isWished(prompt)
  if (!isWished && (parts.compaction === false || hasRoom(fit, parts, call))) return fitted(fit)
  const target = targetOf(fit, parts, prompt, call, context)
  if (!isWished && fit.tokens(target.overhead) <= target.room.most) return fitted(fit)
  return reduced(parts, prompt, { ...call, ...target }, context)
}

/** Halves the prompt because the model rejected it as too long. */
export async function shrinkPrompt(
  parts: AgentParts,
  prompt: BuiltPrompt,
  call: FittedCall,
  memory: RunMemory,
  context: EffectContext,
): Promise<FittedPrompt> {
  const refused = { ...call, isRefused: true }
  return reduced(parts, prompt, { ...call, ...fitToRoom(parts, prompt, refused, memory, context) }, context)
}

/**
 * Returns the target size of a prompt: half of the maximum if somebody requested a smaller prompt or its model rejected
 * it.
 */
export function fitToRoom(
  parts: AgentParts,
  prompt: BuiltPrompt,
  call: FittedCall & { readonly isRefused?: boolean | undefined },
  memory: RunMemory,
  context: EffectContext,
): Target {
  const fit = (memory.fit ??= new PromptFit(parts, call.input.turn, context))
  fit.take(prompt, context)
  return targetOf(fit, parts, prompt, call, context)
}

function targetOf(
  fit: PromptFit,
  parts: AgentParts,
  prompt: BuiltPrompt,
  call: FittedCall & { readonly isRefused?: boolean | undefined },
  context: EffectContext,
): Target {
  const overhead = fit.overhead(instructionsOf(parts, context.view), call.tools)
  const room = roomOf(parts, call, overhead)
  const isRefused = call.isRefused === true
  if (!isRefused && !fit.isWished(prompt)) return { fit, overhead, room }
  const half = Math.floor(fit.tokens(overhead) / 2)
  const most = isRefused ? Math.min(room.most, half) : room.most
  return { fit, overhead, room: { most, target: Math.min(room.target, half) } }
}

/** Requests a summary of the prompt if one is due; otherwise cuts the prompt. */
async function reduced(
  parts: AgentParts,
  prompt: BuiltPrompt,
  { fit, overhead, room, ...call }: FittedCall & Target,
  context: EffectContext,
): Promise<FittedPrompt> {
  const by = await import('../../prompt/shortening.ts')
  const before = fit.tokens(overhead)
  const isSummarising = parts.compaction !== false && parts.compaction.summaries !== undefined
  const isDue = isSummarising && call.input.isSummarised !== true && fit.summaryRange(by, prompt, room) !== undefined
  if (isDue) return { ...fitted(fit), isOutgrown: true }
  const asked = { ...call, fit, prompt, tokens: before, target: room.target }
  const { askStrategy } = await import('./ask-strategy.ts')
  const made = await askStrategy(parts, asked, context)
  if (made === undefined || fit.rebase(by, prompt, made, before) > room.most) fit.move(by, prompt, before, room)
  return fitted(fit)
}

function fitted({ sent, moved }: PromptFit): FittedPrompt {
  return { messages: sent.messages, seen: sent.seenCounts(), ...(moved === undefined ? {} : { moved }) }
}

/** Returns true if the prompt fits however the provider counts, so that counting is unnecessary. */
function hasRoom(fit: PromptFit, parts: AgentParts, call: FittedCall): boolean {
  const { model, plan } = call
  if (fit.least?.model !== model || fit.least.maxTokens !== plan.maxTokens) {
    const { most } = roomOf(parts, call, Number.MAX_SAFE_INTEGER)
    fit.least = { model, maxTokens: plan.maxTokens, most }
  }
  return fit.sent.tokens * 2 <= fit.least.most
}

function roomOf({ compaction, maxTokens }: AgentParts, { model, plan }: FittedCall, overhead: number): PromptRoom {
  const output = plan.maxTokens ?? maxTokens ?? model.maxTokens ?? 0
  return promptRoom(model, compaction === false ? {} : compaction, { overhead, output })
}
