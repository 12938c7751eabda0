import type {
  EasyInputMessage,
  ResponseCompactionItemParam,
  ResponseFunctionCallOutputItem,
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses'
import { mediaTypeOf } from '../../../core/domain/media.ts'
import { isRecord } from '../../../core/domain/text/json.ts'
import {
  type AssistantMessage,
  type FileContent,
  type ImageContent,
  type ModelMessage,
  type ShownContent,
  type TextContent,
  textOf,
  type ThinkingContent,
  type ToolCallContent,
  type ToolResultMessage,
} from '../../../core/domain/message.ts'
import {
  isSendable,
  originOf,
  sendableText,
  sentName,
  wireCallIds,
  type WireCallIds,
  type WireTarget,
} from '../wire/history.ts'
import type { ModelSettings } from '../wire/model-options.ts'
import { ownSummary } from '../wire/own-summary.ts'

/** The provider and model of a request, and whether they make summaries. */
type ItemsTarget = WireTarget & Pick<ModelSettings, 'compacts'>

/** Returns a transcript as items of the Responses wire. Results contain their pictures and files themselves. */
export function responseItems(messages: readonly ModelMessage[], target: ItemsTarget): ResponseInputItem[] {
  const ids = wireCallIds(messages, target.provider)
  return messages.flatMap((message): ResponseInputItem[] => {
    const summary = ownSummary(message, target)
    if (summary !== undefined) return [summary as unknown as ResponseCompactionItemParam]
    if (message.role === 'user') return userItems(message.content)
    if (message.role === 'toolResult') return [resultItem(message, ids)]
    return assistantItems(message, ids, target)
  })
}

function userItems(content: readonly ShownContent[]): EasyInputMessage[] {
  const parts = content.flatMap(shownParts)
  return parts.length === 0 ? [] : [{ role: 'user', content: parts }]
}

function shownParts(block: ShownContent): (ResponseInputContent & ResponseFunctionCallOutputItem)[] {
  if (block.type === 'image') return [{ type: 'input_image', detail: 'auto', image_url: dataUrl(block) }]
  if (block.type === 'file') return [{ type: 'input_file', filename: sentName(block), file_data: dataUrl(block) }]
  return isSendable(block.text) ? [{ type: 'input_text', text: sendableText(block.text) }] : []
}

function dataUrl(block: ImageContent | FileContent): string {
  return `data:${mediaTypeOf(block)};base64,${block.data}`
}

function resultItem(message: ToolResultMessage, ids: WireCallIds): ResponseInputItem.FunctionCallOutput {
  const item = { type: 'function_call_output' as const, call_id: ids.ofResult(message) }
  if (message.content.every(({ type }) => type === 'text')) {
    const text = sendableText(textOf(message))
    return { ...item, output: isSendable(text) ? text : '(no output)' }
  }
  return { ...item, output: message.content.flatMap(shownParts) }
}

/** A reasoning item must be followed by its result; a last one is left out. */
function assistantItems(message: AssistantMessage, ids: WireCallIds, target: WireTarget): ResponseInputItem[] {
  const items = message.content.flatMap((block): ResponseInputItem[] => {
    if (block.type === 'thinking') return reasoningItems(block, target)
    return block.type === 'text' ? textItems(block, target) : [callItem(block, ids)]
  })
  const last = items.findLastIndex(({ type }) => type !== 'reasoning')
  return items.slice(0, last + 1)
}

function reasoningItems(block: ThinkingContent, target: WireTarget): ResponseReasoningItem[] {
  const origin = originOf(block, target)
  const { id, encrypted, summary } = origin ?? {}
  if (typeof id !== 'string' || typeof encrypted !== 'string' || !Array.isArray(summary)) return []
  const texts = summary.filter((text) => typeof text === 'string')
  return [
    {
      type: 'reasoning',
      id,
      summary: texts.map((text) => ({ type: 'summary_text', text })),
      encrypted_content: encrypted,
    },
  ]
}

function textItems(block: TextContent, target: WireTarget): EasyInputMessage[] {
  if (!isSendable(block.text)) return []
  const phase = phaseIn(originOf(block, target))
  return [{ role: 'assistant', content: sendableText(block.text), ...(phase === undefined ? {} : { phase }) }]
}

function phaseIn(origin: Readonly<Record<string, unknown>> | undefined): 'commentary' | 'final_answer' | undefined {
  const phase = isRecord(origin) ? origin['phase'] : undefined
  return phase === 'commentary' || phase === 'final_answer' ? phase : undefined
}

function callItem(call: ToolCallContent, ids: WireCallIds): ResponseInputItem {
  return {
    type: 'function_call',
    call_id: ids.ofCall(call),
    name: call.name,
    arguments: JSON.stringify(call.arguments),
  }
}
