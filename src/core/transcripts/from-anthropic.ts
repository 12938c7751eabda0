import { isRecord, type Json } from '../domain/text/json.ts'
import type { ShownContent, TextContent, ToolCallContent } from '../domain/message.ts'
import { mediaBlocks } from './foreign-media.ts'
import { callBlock, type Piece, type Reading, type ReadMessage, textBlock } from './reading.ts'

/** Reads a message of Anthropic, where results of calls are in user messages. */
export const fromAnthropic: ReadMessage = (message, reading) => {
  const { at } = reading
  const { role, content, model } = message
  const blocks = reading.blocks(content)
  if (role === 'user') {
    const said = blocks.filter(({ type }) => type !== 'tool_result').flatMap((block) => shown(block, reading))
    const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => result(block, reading))
    return said.length === 0 && results.length > 0 ? results : [...results, { kind: 'user', at, content: said }]
  }
  if (role === 'assistant') {
    const made = blocks.flatMap((block) => answered(block, reading))
    return [{ kind: 'assistant', at, content: made, ...(typeof model === 'string' ? { known: { model } } : {}) }]
  }
  if (role === 'system') return reading.leave('system', 'instructions are those of the agent')
  throw reading.refuse(`has the role ${JSON.stringify(role)}, which no message of Anthropic has`)
}

function result(block: Readonly<Record<string, unknown>>, reading: Reading): Piece {
  const id = reading.text(block, 'tool_use_id')
  const content = reading.blocks(block['content']).flatMap((one) => shown(one, reading))
  return { kind: 'result', at: reading.at, id, content, isError: block['is_error'] === true }
}

function answered(
  block: Readonly<Record<string, unknown>>,
  reading: Reading,
): readonly (TextContent | ToolCallContent)[] {
  const { type, input } = block
  switch (type) {
    case 'text':
      return textBlock(reading.text(block, 'text'))
    case 'tool_use':
      return [callBlock(reading.text(block, 'id'), reading.text(block, 'name'), (input ?? {}) as Json)]
    case 'thinking':
    case 'redacted_thinking':
      return reading.leave('reasoning', `${type} is not imported`)
    default:
      return reading.leave('block', `an answer cannot contain a block of type ${JSON.stringify(type)}`)
  }
}

function shown(block: Readonly<Record<string, unknown>>, reading: Reading): readonly ShownContent[] {
  const { type, source, title } = block
  if (type === 'text') return textBlock(reading.text(block, 'text'))
  if ((type === 'image' || type === 'document') && isRecord(source)) return sourced(source, { type, title }, reading)
  return reading.leave('block', `blocks of type ${JSON.stringify(type)} are unknown`)
}

function sourced(
  source: Readonly<Record<string, unknown>>,
  { type, title: name }: { readonly type: string; readonly title: unknown },
  reading: Reading,
): readonly ShownContent[] {
  const { media_type: mediaType = type === 'image' ? 'image' : undefined, data } = source
  if (source['type'] === 'content') return reading.blocks(source['content']).flatMap((block) => shown(block, reading))
  if (source['type'] === 'text') return mediaBlocks({ text: data }, reading)
  return mediaBlocks(source['type'] === 'base64' ? { mediaType, data, name } : { mediaType, name }, reading)
}
