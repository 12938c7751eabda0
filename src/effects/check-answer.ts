import type { AssistantMessage } from '../domain/message.ts'
import { ModelError } from '../domain/model-error.ts'
import { noUsage } from '../domain/usage.ts'
import type { Model } from '../ports/model.ts'
import { frozenCopy, isRecord } from '../domain/json.ts'
import { copyJson } from '../domain/json-copy.ts'
import { maxArgumentBytes } from '../domain/json-limits.ts'

/** The answer as plain JSON, or a `ModelError` saying what an adapter got wrong. */
export function checkAnswer(model: Model, answer: AssistantMessage): AssistantMessage {
  const copy: unknown = frozenCopy(withReadableArguments(answer))
  if (!isRecord(copy) || !Array.isArray(copy['content']) || !copy['content'].every(isBlock)) {
    const wish = 'Expected { role: "assistant", content: [text, thinking or toolCall blocks] }.'
    throw new ModelError('api', `The model ${model.provider}/${model.id} gave no readable answer. ${wish}`)
  }
  const usage = isRecord(copy['usage']) ? { ...noUsage, ...copy['usage'] } : noUsage
  if (copy['stopReason'] === 'error') {
    const detail = typeof copy['errorMessage'] === 'string' ? copy['errorMessage'] : 'it gave no reason'
    throw new ModelError('api', `The model ${model.provider}/${model.id} stopped with an error: ${detail}`)
  }
  return { ...(copy as unknown as AssistantMessage), role: 'assistant', usage }
}

/** Arguments no store takes are the call's fault, not the answer's. */
function withReadableArguments(answer: AssistantMessage): unknown {
  if (!isRecord(answer) || !Array.isArray(answer.content)) return answer
  return {
    ...answer,
    content: answer.content.map((block: AssistantMessage['content'][number]) => {
      if (!isRecord(block) || block.type !== 'toolCall' || block.arguments === undefined) return block
      const copied = copyJson(block.arguments, { mostBytes: maxArgumentBytes })
      if (copied.problem === undefined) return { ...block, arguments: copied.value }
      return { ...block, arguments: {}, malformed: `What was given ${copied.problem}.` }
    }),
  }
}

/** True for a block an answer may hold. */
export function isBlock(block: unknown): boolean {
  if (!isRecord(block)) return false
  if (block['type'] === 'text') return typeof block['text'] === 'string'
  if (block['type'] === 'thinking') return typeof block['thinking'] === 'string'
  const isCall = block['type'] === 'toolCall' && typeof block['id'] === 'string'
  return isCall && typeof block['name'] === 'string' && 'arguments' in block
}
