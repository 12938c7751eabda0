import type { AssistantMessage } from '../domain/message.ts'
import { ModelError } from '../domain/model-error.ts'
import { thrownText } from '../domain/thrown-text.ts'
import { noUsage } from '../domain/usage.ts'
import type { Model, ModelEvent } from '../ports/model.ts'
import { frozenCopy, isRecord } from '../domain/json.ts'
import { copyJson } from '../domain/json-copy.ts'
import { maxArgumentBytes, maxJsonBytes } from '../domain/json-limits.ts'

/** What a stream gave, read once into an event of our own, or a `ModelError` saying what an adapter got wrong. */
export function checkEvent(model: Model, event: ModelEvent): ModelEvent {
  return readable(model, () => {
    const { type } = event
    if (type === 'finished') {
      const { message, leftOut } = event
      return { type, message, ...(leftOut === undefined ? {} : { leftOut: [...leftOut] }) }
    }
    const delta = textIn(event, 'delta')
    return type === 'toolCall' ? { type, delta, id: textIn(event, 'id'), name: textIn(event, 'name') } : { type, delta }
  })
}

function textIn(event: ModelEvent, key: string): string {
  const text: unknown = (event as unknown as Readonly<Record<string, unknown>>)[key]
  if (typeof text !== 'string') throw new TypeError(`its event of type "${event.type}" has no text as ${key}`)
  return text
}

/** What cannot even be read is a defect of the model's adapter. */
function readable<Value>({ provider, id }: Model, read: () => Value): Value {
  try {
    return read()
  } catch (cause) {
    const found = `The model ${provider}/${id} gave what cannot be read: ${thrownText(cause)}`
    throw new ModelError('api', found, { cause })
  }
}

/** The answer as plain JSON, or a `ModelError` saying what an adapter got wrong. */
export function checkAnswer(model: Model, answer: AssistantMessage): AssistantMessage {
  const copy: unknown = frozenCopy(
    readable(model, () => withReadableArguments(answer)),
    { mostBytes: maxJsonBytes },
  )
  if (!isRecord(copy) || !Array.isArray(copy['content']) || !copy['content'].every(isBlock)) {
    const wish = 'Expected { role: "assistant", content: [text, thinking or toolCall blocks] }.'
    throw new ModelError('api', `The model ${model.provider}/${model.id} gave no readable answer. ${wish}`)
  }
  const usage = isRecord(copy['usage']) ? { ...noUsage, ...copy['usage'] } : noUsage
  if (copy['stopReason'] === 'error') {
    const detail = typeof copy['errorMessage'] === 'string' ? copy['errorMessage'] : 'it gave no reason'
    throw new ModelError('api', `The model ${model.provider}/${model.id} stopped with an error: ${detail}`)
  }
  const { cost: _, ...given } = copy as unknown as AssistantMessage
  return { ...withUnits(model, given), role: 'assistant', usage }
}

/** A sum of what is no number would be none either. */
function withUnits({ provider, id }: Model, answer: AssistantMessage): AssistantMessage {
  const { executionUnits: units } = answer
  if (units === undefined || (Number.isFinite(units) && units >= 0)) return answer
  const found = `executionUnits ${JSON.stringify(units)}`
  throw new ModelError('api', `The model ${provider}/${id} answered with ${found}. Expected a number of 0 or more.`)
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
