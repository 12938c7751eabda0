import { isRecord, type Json, type JsonObject } from '../../../core/domain/text/json.ts'
import { leftOut, mediaBytes, mediaProblem } from '../../../core/domain/media.ts'
import { readBlock } from '../../../core/domain/read-block.ts'
import { type ModelMessage, type ShownContent, userMessage } from '../../../core/domain/message.ts'
import { sendableToolName } from '../../../core/domain/tool-name.ts'
import type { ModelRequest } from '../../../core/ports/model.ts'
import type { Accepted } from './accepted.ts'
import { isSendable, missingBeginning, sendableText } from './history.ts'

type Block = ModelMessage['content'][number]

/**
 * Returns a request without anything that the wire's vendors reject. A rejected part is stored, so it would make every
 * later request fail too. A text for the model replaces each omitted picture or file; of too many, the newest stay.
 */
export function legalRequest(request: ModelRequest, rules: Accepted): ModelRequest {
  const contents = legalContents(request.messages, rules)
  const messages = request.messages.map((message, place, all) => {
    const isNeeded = all[place + 1]?.role !== 'user' && !isSaid(all[place - 1])
    if (isNeeded && isBlank(message)) return userMessage(emptyMessage, message.timestamp)
    return legalMessage(message, contents[place] ?? [])
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

function legalMessage(message: ModelMessage, content: readonly ShownContent[]): ModelMessage {
  if (message.role === 'assistant') return { ...message, content: message.content.map(legalCall) }
  if (message.role === 'toolResult') return { ...message, toolName: sendableToolName(message.toolName), content }
  return { ...message, content }
}

/**
 * Replaces a user's blank message if two answers would otherwise follow each other, or nothing would be left to answer.
 */
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

/** Room that is left in a request, which is filled from its end: of too many pictures and files the newest stay. */
interface Room {
  pictures: number
  files: number
  bytes: number
}

/** Returns the content of each message as the wire accepts it. */
function legalContents(messages: readonly ModelMessage[], rules: Accepted): readonly (readonly ShownContent[])[] {
  const room = { pictures: rules.pictures.count, files: rules.files.count, bytes: rules.mediaBytes }
  return messages
    .toReversed()
    .map(({ role, content }) =>
      role === 'assistant'
        ? []
        : content
            .toReversed()
            .map((block) => legalBlock(block, rules, room))
            .toReversed(),
    )
    .toReversed()
}

/** Returns a block that the wire accepts: itself, a mended one, or a text that names what is left out. */
function legalBlock(given: ShownContent, rules: Accepted, room: Room): ShownContent {
  const { block, problem } = readBlock(given)
  if (block === undefined) return leftOut(given, problem)
  if (block.type === 'text') return block
  const kind = block.type === 'image' ? 'pictures' : 'files'
  const bytes = mediaBytes(block)
  const why =
    mediaProblem(block, rules) ?? (room[kind] <= 0 || room.bytes < bytes ? 'there are too many newer ones' : undefined)
  if (why !== undefined) return leftOut(block, why)
  room[kind]--
  room.bytes -= bytes
  return block
}
