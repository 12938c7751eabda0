import { isRecord, type Json } from '../domain/text/json.ts'
import type { ShownContent, TextContent, ToolCallContent } from '../domain/message.ts'
import { mediaBlocks } from './foreign-media.ts'
import { callBlock, type Piece, type Reading, type ReadMessage, resultText, textBlock } from './reading.ts'

type Part = Readonly<Record<string, unknown>>

/** Reads a `ModelMessage` of the AI SDK, or a message of a language model's prompt. */
export const fromAiSdk: ReadMessage = (message, reading) => {
  const { at } = reading
  const { role, content } = message
  if (role === 'system') return reading.leave('system', 'instructions are those of the agent')
  const parts = reading.blocks(content)
  if (role === 'user') return [{ kind: 'user', at, content: parts.flatMap((part) => saidPart(part, reading)) }]
  if (role === 'tool') return parts.flatMap((part) => resultPart(part, reading))
  if (role !== 'assistant')
    throw reading.refuse(`has the role ${JSON.stringify(role)}, which no message of the AI SDK has`)
  const answer = parts.filter(({ type }) => type !== 'tool-result').flatMap((part) => answerPart(part, reading))
  const results = parts.filter(({ type }) => type === 'tool-result').flatMap((part) => resultPart(part, reading))
  return [{ kind: 'assistant', at, content: answer }, ...results]
}

/** Reads a `UIMessage` of the AI SDK: an assistant's may hold several answers with the results of their calls. */
export const fromAiSdkUi: ReadMessage = (message, reading) => {
  const { at } = reading
  const { role, parts } = message
  if (role === 'system') return reading.leave('system', 'instructions are those of the agent')
  if (!Array.isArray(parts) || !parts.every(isRecord)) throw reading.refuse('has no list of parts')
  if (role === 'user') return [{ kind: 'user', at, content: parts.flatMap((part) => saidPart(part, reading)) }]
  if (role !== 'assistant') throw reading.refuse(`has the role ${JSON.stringify(role)}, which no UIMessage has`)
  return stepsOf(parts).flatMap((step) => {
    const content = step.flatMap((part) => (isToolPart(part) ? toolPart(part, reading) : answerPart(part, reading)))
    const results = step.filter(isToolPart).flatMap((part) => toolOutcome(part, reading))
    return content.length === 0 ? [] : [{ kind: 'assistant', at, content } as const, ...results]
  })
}

function stepsOf(parts: readonly Part[]): readonly (readonly Part[])[] {
  const steps: Part[][] = [[]]
  for (const part of parts) {
    if (part['type'] === 'step-start') steps.push([])
    else steps.at(-1)?.push(part)
  }
  return steps
}

function saidPart(part: Part, reading: Reading): readonly ShownContent[] {
  const { type } = part
  if (type === 'text') return textBlock(reading.text(part, 'text'))
  if (type === 'image') {
    const { image, mediaType = 'image' } = part
    return mediaBlocks({ mediaType, data: isRecord(image) ? image['url'] : image }, reading)
  }
  if (type === 'file') return filePart(part, reading)
  if (isData(type)) return reading.leave('data', `${JSON.stringify(type)} belongs to the page`)
  return reading.leave('block', `parts of type ${JSON.stringify(type)} are unknown`)
}

/** Returns the blocks of a file part of a `ModelMessage`, of a model's prompt or of a `UIMessage`. */
function filePart({ data, url, mediaType, mimeType, filename: name }: Part, reading: Reading): readonly ShownContent[] {
  const type = mediaType ?? mimeType
  if (!isRecord(data)) return mediaBlocks({ mediaType: type, data: data ?? url, name }, reading)
  return mediaBlocks({ mediaType: type, data: data['data'] ?? data['url'], text: data['text'], name }, reading)
}

function answerPart(part: Part, reading: Reading): readonly (TextContent | ToolCallContent)[] {
  const { type, toolCallId: id, toolName: name, input, args } = part
  if (type === 'text') return textBlock(reading.text(part, 'text'))
  if (type === 'reasoning') return reading.leave('reasoning', 'reasoning is not imported')
  if (type === 'file') return reading.leave('file', 'an answer cannot contain a file')
  if (type === 'tool-call') {
    if (typeof id !== 'string' || typeof name !== 'string') throw reading.refuse('has a call without an id or a name')
    return [callBlock(id, name, (input ?? args ?? {}) as Json)]
  }
  if (isData(type)) return reading.leave('data', `${JSON.stringify(type)} belongs to the page`)
  return reading.leave('block', `an answer cannot contain a part of type ${JSON.stringify(type)}`)
}

function isData(type: unknown): boolean {
  return typeof type === 'string' && (type.startsWith('data-') || type.startsWith('source-'))
}

function resultPart(part: Part, reading: Reading): readonly Piece[] {
  const { type, output, result } = part
  if (type !== 'tool-result')
    return reading.leave('block', `a result cannot contain a part of type ${JSON.stringify(type)}`)
  const id = reading.text(part, 'toolCallId')
  const isTold = isRecord(output) && typeof output['type'] === 'string'
  const told = isTold
    ? outcomeOf(output, reading)
    : { content: resultText(output ?? result), isError: part['isError'] === true }
  return [{ kind: 'result', at: reading.at, id, ...told }]
}

function outcomeOf(
  output: Part,
  reading: Reading,
): { readonly content: readonly ShownContent[]; readonly isError: boolean } {
  const { type, value, reason } = output
  switch (type) {
    case 'content':
      return { content: reading.blocks(value).flatMap((part) => mediaPart(part, reading)), isError: false }
    case 'execution-denied':
      return { content: resultText(typeof reason === 'string' ? reason : 'Tool execution denied.'), isError: true }
    default:
      return { content: resultText(value), isError: type === 'error-text' || type === 'error-json' }
  }
}

function mediaPart(part: Part, reading: Reading): readonly ShownContent[] {
  const { type, data, url, mediaType } = part
  if (type === 'text') return textBlock(reading.text(part, 'text'))
  if (type === 'file') return filePart(part, reading)
  return mediaBlocks(
    { mediaType: mediaType ?? (String(type).startsWith('image') ? 'image' : ''), data: data ?? url },
    reading,
  )
}

function isToolPart({ type }: Part): boolean {
  return typeof type === 'string' && (type.startsWith('tool-') || type === 'dynamic-tool')
}

function toolPart(part: Part, reading: Reading): readonly ToolCallContent[] {
  const { type, state, input = {}, toolName } = part
  if (state === 'input-streaming') return reading.leave('call', 'its arguments are not complete')
  const name = type === 'dynamic-tool' ? toolName : String(type).slice('tool-'.length)
  if (typeof name !== 'string') throw reading.refuse('has a call without a name')
  return [callBlock(reading.text(part, 'toolCallId'), name, input as Json)]
}

function toolOutcome(part: Part, reading: Reading): readonly Piece[] {
  const { state, output, errorText, approval } = part
  const id = typeof part['toolCallId'] === 'string' ? part['toolCallId'] : ''
  const result = (value: unknown, isError: boolean) =>
    [{ kind: 'result', at: reading.at, id, content: resultText(value), isError }] as const
  if (state === 'output-available') return result(output, false)
  if (state === 'output-error') return result(errorText ?? 'The tool failed.', true)
  if (state !== 'output-denied') return []
  const reason = isRecord(approval) ? approval['reason'] : undefined
  return result(reason ?? 'Tool execution denied.', true)
}
