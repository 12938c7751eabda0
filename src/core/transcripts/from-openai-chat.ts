import { isRecord } from '../domain/text/json.ts'
import type { ShownContent, TextContent, ToolCallContent } from '../domain/message.ts'
import { mediaBlocks } from './foreign-media.ts'
import { callBlock, callOfText, type Piece, type Reading, type ReadMessage, textBlock } from './reading.ts'

/** Reads a message of OpenAI's chat completions, or of a compatible server. */
export const fromOpenAiChat: ReadMessage = (message, reading) => {
  const { at } = reading
  const { role, content } = message
  switch (role) {
    case 'system':
    case 'developer':
      return reading.leave('system', 'instructions are those of the agent')
    case 'user':
      return [{ kind: 'user', at, content: reading.blocks(content).flatMap((block) => shown(block, reading)) }]
    case 'assistant':
      return [answer(message, reading)]
    case 'tool':
    case 'function': {
      const id = reading.text(message, role === 'tool' ? 'tool_call_id' : 'name')
      const blocks = reading.blocks(content).flatMap((block) => shown(block, reading))
      return [{ kind: 'result', at, id, content: blocks, isError: false }]
    }
    default:
      throw reading.refuse(`has the role ${JSON.stringify(role)}, which no message of OpenAI has`)
  }
}

function answer(message: Readonly<Record<string, unknown>>, reading: Reading): Piece {
  for (const field of ['reasoning_content', 'reasoning', 'reasoning_details']) {
    const value = message[field]
    if (value !== undefined && value !== null && value !== '') reading.leave('reasoning', `${field} is not imported`)
  }
  if (isRecord(message['audio'])) reading.leave('audio', 'a message cannot contain sound')
  const texts = reading.blocks(message['content']).flatMap((block): readonly TextContent[] => {
    const blocks = shown(block, reading)
    return blocks.flatMap((one) =>
      one.type === 'text' ? one : reading.leave('image', 'an answer cannot contain a picture'),
    )
  })
  const { refusal, tool_calls: calls, function_call: old } = message
  const refused = typeof refusal === 'string' ? textBlock(refusal) : []
  const made = Array.isArray(calls) ? calls.map((call: unknown) => madeCall(call, reading)) : []
  const oldCall = isRecord(old) ? [namedCall(reading.text(old, 'name'), old, reading)] : []
  return { kind: 'assistant', at: reading.at, content: [...texts, ...refused, ...made, ...oldCall] }
}

function madeCall(call: unknown, reading: Reading): ToolCallContent {
  if (!isRecord(call)) throw reading.refuse('has a call that is not an object')
  const id = reading.text(call, 'id')
  const { function: asked, custom } = call
  if (isRecord(asked)) return namedCall(id, asked, reading)
  if (isRecord(custom)) return callBlock(id, reading.text(custom, 'name'), { input: reading.text(custom, 'input') })
  throw reading.refuse(`has a call ${JSON.stringify(id.slice(0, 100))} without a function`)
}

function namedCall(id: string, asked: Readonly<Record<string, unknown>>, reading: Reading): ToolCallContent {
  return callOfText(id, reading.text(asked, 'name'), reading.text(asked, 'arguments'))
}

function shown(block: Readonly<Record<string, unknown>>, reading: Reading): readonly ShownContent[] {
  const { type, image_url: image, file } = block
  if (type === 'text') return textBlock(reading.text(block, 'text'))
  if (type === 'refusal') return textBlock(reading.text(block, 'refusal'))
  if (type === 'image_url')
    return mediaBlocks({ mediaType: 'image', data: isRecord(image) ? image['url'] : image }, reading)
  if (type === 'file' && isRecord(file))
    return mediaBlocks({ data: file['file_data'], name: file['filename'] }, reading)
  if (type === 'input_audio') return reading.leave('audio', 'a message cannot contain sound')
  return reading.leave('block', `blocks of type ${JSON.stringify(type)} are unknown`)
}
