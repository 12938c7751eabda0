import { type ModelMessage, type ToolCallContent, toolCallsOf } from '../../domain/message.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Model } from '../../ports/model.ts'
import { baseOf } from '../../prompt/summary-range.ts'
import { type Cut, noCut } from '../../prompt/cut.ts'
import { PromptBuilder } from '../../prompt/prompt-builder.ts'
import type { AgentParts } from '../agent-parts.ts'
import { ask } from '../ask-code.ts'
import type { BuiltPrompt, PromptFit } from './prompt-fit.ts'
import { checkedMessages, requestContext } from './request-parts.ts'

/** A prompt that is too large, and its target size. */
export interface AskedStrategy {
  readonly fit: PromptFit
  readonly prompt: BuiltPrompt
  readonly model: Model
  readonly input: { readonly turn: number }
  readonly tokens: number
  readonly target: number
}

/**
 * Returns the prompt of the application's compaction strategy, or undefined without a strategy; an unusable prompt is
 * reported.
 */
export async function askStrategy(
  { compaction, pluginTimeoutMs }: AgentParts,
  { fit, prompt, model, input: { turn }, tokens, target }: AskedStrategy,
  context: EffectContext,
): Promise<Cut | undefined> {
  const strategy = compaction === false ? undefined : compaction.strategy
  if (strategy === undefined) return undefined
  const sent = fit.sent.messages
  const given = sent.slice(0, sent.length - (prompt.messages.length - prompt.own))
  const count = (message: ModelMessage) => fit.counter.of(message)
  try {
    return await ask(
      '"strategy" failed',
      { ...context, pluginTimeoutMs },
      async ({ shown, signal }) => {
        const about = { ...requestContext(model, turn, context, signal), tokens, target, count }
        return {
          ...noCut,
          base: baseOf(checked(await strategy(shown, about), given), prompt.messages.slice(0, prompt.own)),
        }
      },
      given,
    )
  } catch (cause) {
    const { runId, clock, emit, signal } = context
    if (signal.aborted) throw cause
    const message = `${thrownText(cause)} The prompt is compacted without it.`
    emit({ type: 'context.partFailed', runId, at: clock.now(), turn, part: 'strategy', message })
    return undefined
  }
}

function checked(made: unknown, given: readonly ModelMessage[]): readonly ModelMessage[] {
  const messages = checkedMessages(made, given)
  if (messages.length === 0) throw new TypeError('it returned none. Expected at least one message.')
  checkCalls(messages, given)
  return messages
}

/** Throws unless each call has exactly one result and was made by the model. */
function checkCalls(messages: readonly ModelMessage[], given: readonly ModelMessage[]): void {
  const known = new Set(callsIn(given).map(idOf))
  const added = callsIn(messages)
    .map(idOf)
    .find((id) => !known.delete(id))
  if (added !== undefined) throw new TypeError(`it added the call "${added}". Expected calls of the prompt, once each.`)
  const repaired = new PromptBuilder().build(messages)
  if (repaired.length === messages.length && repaired.every((message, index) => message === messages[index])) return
  throw new TypeError('it separated a call from its result. Expected both, in their order, or neither.')
}

function callsIn(messages: readonly ModelMessage[]): readonly ToolCallContent[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : []))
}

function idOf({ callId, id }: ToolCallContent): string {
  return callId ?? id
}
