import type { Content as WireContent, Part } from '@google/genai/web'
import { mediaTypeOf } from '../../../core/domain/media.ts'
import { isRecord } from '../../../core/domain/text/json.ts'
import type {
  AssistantMessage,
  ModelMessage,
  ShownContent,
  ToolCallContent,
  ToolResultMessage,
} from '../../../core/domain/message.ts'
import { isSendable, originOf, resultText, sendableText, shownBehind, type WireTarget } from '../wire/history.ts'
import { generationOf } from './thinking.ts'

/** Returns a transcript as the wire's contents. The results of one answer form one content. */
export function googleContents(messages: readonly ModelMessage[], target: WireTarget): WireContent[] {
  const contents: WireContent[] = []
  const calls = new Map<string, ToolCallContent>()
  let results: Part[] = []
  let behind: Part[] = []
  const showResults = () => {
    if (results.length > 0) contents.push({ role: 'user', parts: results })
    if (behind.length > 0) contents.push({ role: 'user', parts: behind })
    results = []
    behind = []
  }
  for (const message of messages) {
    if (message.role === 'toolResult') {
      const shown = resultParts(message, calls.get(message.callId) ?? calls.get(message.toolCallId), target)
      results.push(shown.result)
      behind.push(...shown.behind)
      continue
    }
    showResults()
    const parts = message.role === 'user' ? message.content.flatMap(shownPart) : modelParts(message, target)
    if (parts.length > 0) contents.push({ role: message.role === 'user' ? 'user' : 'model', parts })
    if (message.role === 'assistant') noteCalls(message, calls)
  }
  showResults()
  return contents
}

/** Provider ids repeat between answers: the latest call of an id is the one a result answers. */
function noteCalls({ content }: AssistantMessage, calls: Map<string, ToolCallContent>): void {
  for (const block of content) {
    if (block.type !== 'toolCall') continue
    calls.set(block.id, block)
    if (block.callId !== undefined) calls.set(block.callId, block)
  }
}

function shownPart(block: ShownContent): Part[] {
  if (block.type !== 'text') return [{ inlineData: { data: block.data, mimeType: mediaTypeOf(block) } }]
  return isSendable(block.text) ? [{ text: sendableText(block.text) }] : []
}

/** Models from 3.0 on take the pictures and files of a result with it; older ones see them after the results. */
function resultParts(
  message: ToolResultMessage,
  call: ToolCallContent | undefined,
  target: WireTarget,
): { readonly result: Part; readonly behind: readonly Part[] } {
  const behind = shownBehind(message, shownPart)
  const isNested = behind.length > 0 && generationOf(target.model) >= 300
  const id = call === undefined ? undefined : originOf(call, target)?.['id']
  const output = resultText(message)
  const result: Part = {
    functionResponse: {
      ...(typeof id === 'string' ? { id } : {}),
      name: message.toolName,
      response: message.isError ? { error: output } : { output },
      ...(isNested ? { parts: behind.slice(1) } : {}),
    },
  }
  return { result, behind: isNested ? [] : behind }
}

/** Calls of another model have no signature, which later models refuse to be sent: the wire's own word excuses them. */
function modelParts(message: AssistantMessage, target: WireTarget): Part[] {
  const isForeign = message.content.every((block) => originOf(block, target) === undefined)
  let isExcused = !isForeign || generationOf(target.model) < 300
  return message.content.flatMap((block): Part[] => {
    const signature = signatureOf(block, target)
    if (block.type !== 'toolCall') return spokenPart(block, signature, target)
    const excuse = isExcused ? {} : { thoughtSignature: 'skip_thought_signature_validator' }
    isExcused = true
    return [{ functionCall: functionCall(block, target), ...excuse, ...signature }]
  })
}

/** A part with only a signature is sent back at its place too. */
function spokenPart(
  block: Exclude<AssistantMessage['content'][number], ToolCallContent>,
  signature: { readonly thoughtSignature?: string },
  target: WireTarget,
): Part[] {
  const isSigned = signature.thoughtSignature !== undefined
  if (block.type === 'text') {
    return isSendable(block.text) || isSigned ? [{ text: sendableText(block.text), ...signature }] : []
  }
  if (originOf(block, target) === undefined) return []
  return [{ text: block.thinking, thought: true, ...signature }]
}

function functionCall(call: ToolCallContent, target: WireTarget) {
  const id = originOf(call, target)?.['id']
  return { ...(typeof id === 'string' ? { id } : {}), name: call.name, args: argumentsOf(call) }
}

/** The wire takes objects only. */
function argumentsOf({ arguments: given }: ToolCallContent): Record<string, unknown> {
  return isRecord(given) ? { ...given } : {}
}

function signatureOf(
  block: AssistantMessage['content'][number],
  target: WireTarget,
): { readonly thoughtSignature?: string } {
  const signature = originOf(block, target)?.['thoughtSignature']
  return typeof signature === 'string' ? { thoughtSignature: signature } : {}
}
