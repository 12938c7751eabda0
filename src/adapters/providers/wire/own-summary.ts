import { isRecord, type Json } from '../../../core/domain/text/json.ts'
import type { ModelMessage, TextContent } from '../../../core/domain/message.ts'
import type { ModelRequest } from '../../../core/ports/model.ts'
import { originOf, type WireTarget } from './history.ts'
import type { ModelSettings } from './model-options.ts'

/** Returns true for a request that the provider should answer with a summary of its own. */
export function asksForSummary({ lifecycle }: ModelRequest, { compacts }: Pick<ModelSettings, 'compacts'>): boolean {
  return compacts === true && lifecycle === 'summary'
}

/**
 * Returns a provider's summary: its item, which is sent back unchanged, and the text for other models. The text is
 * empty if only the provider can read the summary.
 */
export function summaryBlock(item: Readonly<Record<string, Json>>, text: string, target: WireTarget): TextContent {
  const { provider, model } = target
  return { type: 'text', text, providerData: { provider, model, data: { compaction: item } } }
}

/** Returns the item of a message with a summary by this provider and model, if they still make summaries. */
export function ownSummary(
  message: ModelMessage | undefined,
  { compacts, ...target }: WireTarget & Pick<ModelSettings, 'compacts'>,
): Readonly<Record<string, unknown>> | undefined {
  const [block] = compacts === true && message?.role === 'user' ? message.content : []
  const item = block?.type === 'text' ? originOf(block, target)?.['compaction'] : undefined
  return isRecord(item) && item['type'] === 'compaction' ? item : undefined
}
