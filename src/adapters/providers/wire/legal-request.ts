import { isRecord, type Json, type JsonObject } from '../../../core/domain/text/json.ts'
import type { ImageContent, ModelMessage, TextContent } from '../../../core/domain/message.ts'
import { userMessage } from '../../../core/domain/message.ts'
import { mendedPicture, pictureBytes } from '../../../core/domain/picture.ts'
import { sendableToolName } from '../../../core/domain/tool-name.ts'
import type { ModelRequest } from '../../../core/ports/model.ts'
import type { Accepted } from './accepted.ts'
import { isSendable, missingBeginning, sendableText } from './history.ts'

type Shown = TextContent | ImageContent
type Block = ModelMessage['content'][number]

/**
 * Returns a request without anything that the wire's vendors refuse. A refused part is stored, so that it would spoil every
 * later request too. A picture that is left out is named to the model in its place; of too many, the newest stay.
 */
export function legalRequest(request: ModelRequest, rules: Accepted): ModelRequest {
  const pictures = new PictureRoom(rules, request.messages)
  const messages = request.messages.map((message, place, all) => {
    const isNeeded = all[place + 1]?.role !== 'user' && !isSaid(all[place - 1])
    return legalMessage(isNeeded && isBlank(message) ? userMessage(emptyMessage, message.timestamp) : message, pictures)
  })
  const [first] = messages
  if (first === undefined || (rules.beginsWithUser && first.role === 'assistant')) {
    messages.unshift(userMessage(missingBeginning, first?.timestamp ?? 0))
  }
  return {
    ...request,
    messages,
    tools: request.tools.map((tool) => ({
      ...tool,
      description: sendableText(tool.description),
      parameters: sendableObject(tool.parameters),
    })),
  }
}

function legalMessage(message: ModelMessage, pictures: PictureRoom): ModelMessage {
  if (message.role === 'assistant') return { ...message, content: message.content.map(legalCall) }
  const content = message.content.map((block) => pictures.shown(block))
  if (message.role === 'toolResult') return { ...message, toolName: sendableToolName(message.toolName), content }
  return { ...message, content }
}

/** Stands for a blank message of a user without which two answers would meet, or nothing would be left to answer. */
const emptyMessage = '(empty message)'

/** Wires leave out blank texts. */
function isBlank({ role, content }: ModelMessage): boolean {
  return role === 'user' && content.every((block) => block.type === 'text' && !isSendable(block.text))
}

function isSaid(message: ModelMessage | undefined): boolean {
  return message?.role === 'user' && !isBlank(message)
}

function legalCall<Given extends Block>(block: Given): Given {
  if (block.type !== 'toolCall') return block
  const { name, arguments: given } = block
  return { ...block, name: sendableToolName(name), arguments: isRecord(given) ? sendableObject(given) : {} }
}

/** Servers refuse lone surrogates in the texts of arguments and schemas too. */
function sendableObject(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [sendableText(key), sendableJson(value)]))
}

function sendableJson(value: Json): Json {
  if (typeof value === 'string') return sendableText(value)
  if (Array.isArray(value)) return value.map(sendableJson)
  return isRecord(value) ? sendableObject(value) : value
}

/** Counts the pictures of a request from its beginning. */
class PictureRoom {
  readonly #rules: Accepted
  /** Pictures to leave out before the first that has room. */
  #over: number

  constructor(rules: Accepted, messages: readonly ModelMessage[]) {
    this.#rules = rules
    const count = messages.reduce((sum, { content }) => sum + content.filter(isSendablePicture(rules)).length, 0)
    this.#over = count - rules.pictureCount
  }

  /** Returns a block that the wire accepts: itself, a mended picture, or a text that names a picture that is left out. */
  shown(block: Shown): Shown {
    if (block.type === 'text') return block
    const why = problemOf(block, this.#rules) ?? (this.#over-- > 0 ? 'there are too many newer ones' : undefined)
    if (why === undefined) return mendedPicture(block) ?? block
    return {
      type: 'text',
      text: `[An image of type ${sendableText(block.mimeType.slice(0, 100))} was left out: ${why}.]`,
    }
  }
}

function isSendablePicture(rules: Accepted): (block: Block) => boolean {
  return (block) => block.type === 'image' && problemOf(block, rules) === undefined
}

function problemOf(block: ImageContent, { pictures, pictureBytes: most }: Accepted): string | undefined {
  const picture = mendedPicture(block)
  if (picture === undefined) return 'the model cannot read it'
  if (!pictures.includes(picture.mimeType)) return 'the model cannot read it'
  const bytes = pictureBytes(picture)
  return bytes > most ? `it has ${bytes} bytes, and the model takes at most ${most}` : undefined
}
