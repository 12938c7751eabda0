import type { SummariseInput, Summarised } from '../../../../machines/model-call/model-call.types.ts'
import type { Write } from '../../domain/log.ts'
import { ModelError } from '../../domain/model-error.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import { noUsage } from '../../domain/usage.ts'
import type { EffectContext, EffectHandler } from '../../ports/effect-handler.ts'
import * as by from '../../prompt/shortening.ts'
import type { SummaryRange } from '../../prompt/summary-range.ts'
import type { AgentParts } from '../agent-parts.ts'
import { type AskedSummary, askSummary, type GivenSummary } from './ask-summary.ts'
import { promptAgain } from './build-prompt.ts'
import { fitToRoom } from './fit-prompt.ts'
import type { RunMemories, RunMemory } from './run-memory.ts'
import { cutWrites } from './take-answer.ts'

/**
 * Makes a model summarize the old part of a prompt. The summary is logged with its cost, so that nobody pays for it
 * again. Without a summary, the prompt is cut by the tiers.
 */
export function summarise(parts: AgentParts, memories: RunMemories): EffectHandler<SummariseInput, Summarised> {
  return {
    kind: 'recorded',
    readsTranscript: true,
    perform: async (input, context) => {
      const { built, call, memory } = await promptAgain(parts, input, memories, context)
      const { model, tools } = call
      const wanted = { ...call, isRefused: input.isRefused }
      const { fit, overhead, room } = fitToRoom(parts, built, wanted, memory, context)
      const before = fit.tokens(overhead)
      const range = fit.summaryRange(by, built, room)
      const { message, paid } = await summaryOf(parts, { model, turn: input.turn, fit, tools }, range, memory, context)
      const writes: Write[] = []
      let tokens = before
      if (range !== undefined && message !== undefined && paid !== undefined) {
        tokens = fit.summarise(by, built, range, { ...paid, message }, before)
        writes.push(...cutWrites(fit.moved))
      }
      if (tokens > room.most || fit.isWished(built)) {
        fit.move(by, built, tokens, room, message === undefined ? paid : undefined)
        writes.push(...cutWrites(fit.moved))
      }
      const { usage, cost = 0 } = paid ?? { usage: noUsage }
      return { output: { usage, cost, at: context.clock.now() }, writes }
    },
  }
}

/** Returns the model's summary of old messages and its cost; reports why there is none. */
async function summaryOf(
  parts: AgentParts,
  asked: Omit<AskedSummary, 'messages'>,
  range: SummaryRange | undefined,
  memory: RunMemory,
  context: EffectContext,
): Promise<Partial<GivenSummary>> {
  if (range === undefined) return {}
  try {
    const given = await askSummary(parts, { ...asked, messages: range.messages }, memory, context)
    if (given.message === undefined) tellFailed('The model gave no text.', asked.turn, context)
    return given
  } catch (cause) {
    if (context.signal.aborted || !(cause instanceof ModelError)) throw cause
    tellFailed(thrownText(cause), asked.turn, context)
    return {}
  }
}

function tellFailed(problem: string, turn: number, { runId, clock, emit }: EffectContext): void {
  const message = `The summary failed: ${problem} The prompt is compacted without it.`
  emit({ type: 'context.partFailed', runId, at: clock.now(), turn, part: 'summaries', message })
}
