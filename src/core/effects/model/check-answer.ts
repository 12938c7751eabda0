import type { AssistantMessage, StopReason } from '../../domain/message.ts'
import { ModelError } from '../../domain/model-error.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import { noUsage, type Usage, usageCounts } from '../../domain/usage.ts'
import { type Model, type ModelEvent, requestOptions } from '../../ports/model.ts'
import { freezeDeep, frozenCopy, isRecord } from '../../domain/text/json.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import { isListOf, isOneOf } from '../../domain/text/shape.ts'
import { maxArgumentBytes, maxJsonBytes } from '../../domain/text/json-limits.ts'

const areOptions = isListOf(isOneOf(...requestOptions))

/** Copies one event of a stream; throws a `ModelError` that names the adapter's mistake. */
export function checkEvent(model: Model, event: ModelEvent): ModelEvent {
  return readable(model, () => {
    const { type } = event
    if (type === 'finished') {
      const { message, leftOut } = event
      if (leftOut === undefined) return { type, message }
      if (!areOptions(leftOut))
        throw new TypeError(`its leftOut cannot be read. Expected a list of ${requestOptions.join(', ')}.`)
      return { type, message, leftOut: requestOptions.filter((option) => leftOut.includes(option)) }
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

/** An unreadable value is a defect of the model's adapter. */
function readable<Value>({ provider, id }: Model, read: () => Value): Value {
  try {
    return read()
  } catch (cause) {
    const found = `The model ${provider}/${id} gave an invalid event: ${thrownText(cause)}`
    throw new ModelError('api', found, { cause })
  }
}

/** Returns an answer as plain JSON; throws a `ModelError` that names the adapter's mistake. */
export function checkAnswer(model: Model, answer: AssistantMessage): AssistantMessage {
  const copy: unknown = frozenCopy(
    readable(model, () => withReadableArguments(answer)),
    { mostBytes: maxJsonBytes },
  )
  if (!isRecord(copy) || !Array.isArray(copy['content']) || !copy['content'].every(isBlock)) {
    const wish = 'Expected { role: "assistant", content: [text, thinking or toolCall blocks] }.'
    throw new ModelError('api', `The model ${model.provider}/${model.id} gave an invalid answer. ${wish}`)
  }
  checkFields(model, copy)
  const usage = usageIn(model, copy['usage'])
  if (copy['stopReason'] === 'error' || copy['stopReason'] === 'aborted') {
    const unsaid = copy['stopReason'] === 'error' ? 'it gave no reason' : 'the answer was broken off'
    const detail = typeof copy['errorMessage'] === 'string' ? copy['errorMessage'] : unsaid
    throw new ModelError('api', `The model ${model.provider}/${model.id} stopped with an error: ${detail}`)
  }
  const { cost, ...given } = copy as unknown as AssistantMessage
  const stated = model.statesCost === true && isAmount(cost) ? { cost } : {}
  return freezeDeep({ ...given, ...stated, role: 'assistant', usage })
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
/** A sum with NaN would be NaN. */
const isAmount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0
const stopReasons: readonly unknown[] = ['stop', 'length', 'toolUse', 'error', 'aborted'] satisfies StopReason[]

/** The checks of an answer's fields other than its content. */
const fields: readonly (readonly [field: string, check: Check, wish: string])[] = [
  ['stopReason', (value) => stopReasons.includes(value), stopReasons.join(', ')],
  ['model', isText, 'a text'],
  ['provider', isText, 'a text'],
  ['timestamp', (value) => typeof value === 'number', 'unix milliseconds'],
  ['errorMessage', isText, 'a text'],
  ['executionUnits', isAmount, 'a number of 0 or more'],
]

function checkFields(model: Model, answer: Readonly<Record<string, unknown>>): void {
  for (const [field, check, wish] of fields) {
    const value = answer[field]
    if (value !== undefined && !check(value)) throw misfit(model, field, value, wish)
  }
}

/** A missing count is 0. */
function usageIn(model: Model, given: unknown): Usage {
  const usage = { ...noUsage }
  const counts = isRecord(given) ? given : {}
  for (const count of usageCounts) {
    const value = counts[count] ?? 0
    if (!isAmount(value)) throw misfit(model, `usage.${count}`, value, 'a number of 0 or more')
    usage[count] = value
  }
  return usage
}

function misfit({ provider, id }: Model, field: string, value: unknown, wish: string): ModelError {
  const found = `${field} ${JSON.stringify(value).slice(0, 200)}`
  return new ModelError('api', `The model ${provider}/${id} answered with ${found}. Expected ${wish}.`)
}

/** Unreadable arguments are the fault of the call and not of the answer. */
function withReadableArguments(answer: AssistantMessage): unknown {
  if (!isRecord(answer) || !Array.isArray(answer.content)) return answer
  return {
    ...answer,
    content: answer.content.map((block: AssistantMessage['content'][number]) => {
      if (!isRecord(block) || block.type !== 'toolCall' || block.arguments === undefined) return block
      const copied = copyJson(block.arguments, { mostBytes: maxArgumentBytes })
      if (copied.problem === undefined) return { ...block, arguments: copied.value }
      return { ...block, arguments: {}, malformed: `The value ${copied.problem}.` }
    }),
  }
}

/** Returns true for a block that an answer may contain. */
export function isBlock(block: unknown): boolean {
  if (!isRecord(block) || !isOrigin(block['providerData'])) return false
  const { type, text, thinking, signature = '', id, name, malformed = '', truncated = false } = block
  if (type === 'text') return isText(text)
  if (type === 'thinking') return isText(thinking) && isText(signature)
  const isCall = type === 'toolCall' && isText(id) && isText(name) && 'arguments' in block
  return isCall && isText(malformed) && typeof truncated === 'boolean'
}

function isOrigin(data: unknown): boolean {
  return data === undefined || (isRecord(data) && isText(data['provider']) && isText(data['model']) && 'data' in data)
}
