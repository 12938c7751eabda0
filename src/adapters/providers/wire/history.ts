import { isRecord, hashText } from '../../../core/domain/text/json.ts'
import {
  type FileContent,
  type ModelMessage,
  type ProviderData,
  type ShownContent,
  type ToolCallContent,
  type ToolResultMessage,
  textOf,
} from '../../../core/domain/message.ts'

/** Returns a text with every lone surrogate replaced, because servers reject a whole request for one. */
export function sendableText(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\u{FFFD}')
}

/** Returns true for text that is not blank. Wires reject blank blocks. */
export function isSendable(text: string): boolean {
  return text.trim() !== ''
}

/** Returns the name of a file on wires that require one. */
export function sentName({ name = 'file' }: FileContent): string {
  return sendableText(name)
}

/** Returns the pictures and files of results. They follow the results on wires whose results contain only text. */
export function shownBehind<Part>(
  { toolName, content }: ToolResultMessage,
  partsOf: (block: ShownContent) => readonly Part[],
): readonly Part[] {
  const parts = content.flatMap((block) => (block.type === 'text' ? [] : partsOf(block)))
  const what = content.some(({ type }) => type === 'file') ? 'Files' : 'Images'
  return parts.length === 0 ? [] : [...partsOf({ type: 'text', text: `${what} from the tool ${toolName}:` }), ...parts]
}

/** Returns the text of a result on wires whose results contain only text. */
export function resultText(message: ToolResultMessage): string {
  const text = sendableText(textOf(message))
  if (isSendable(text)) return text
  const shown = message.content.find(({ type }) => type !== 'text')
  return shown === undefined ? '(no output)' : `(see the ${shown.type} below)`
}

/** The ids of each call and each result of a transcript on a wire. */
export interface WireCallIds {
  ofCall(call: ToolCallContent): string
  ofResult(result: ToolResultMessage): string
}

/** The ids that a wire accepts: a valid id, and an id whose number, from 2, distinguishes it from earlier ones. */
export interface IdRule {
  /** The accepted part of the provider's own ids. */
  readonly own: RegExp
  legal(id: string): string
  numbered(id: string, count: number): string
}

/** The rule of most wires: at most 40 letters, digits, `_` and `-`. */
export const anyIds: IdRule = {
  own: /^[!-~]{1,64}$/,
  legal: (id) => id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, longestId) || 'call',
  numbered: (id, count) => `${id.slice(0, longestId - `_${count}`.length)}_${count}`,
}

/** The rule of servers that apply it to their own ids as well. */
export const strictIds: IdRule = { ...anyIds, own: /^[A-Za-z0-9_-]{1,64}$/ }

/** The rule of one server: nine letters and digits. */
export const shortIds: IdRule = {
  own: /^[A-Za-z0-9]{9}$/,
  legal: (id) => (/^[A-Za-z0-9]{9}$/.test(id) ? id : hashText(id).slice(0, 9)),
  numbered: (id, count) => hashText(`${id} ${count}`).slice(0, 9),
}

const longestId = 40

/**
 * Gives every call an id of its own, as wires require: a provider's ids may repeat between turns, and another
 * provider's ids may contain characters that this one rejects. Calls of `provider` itself keep their ids if these are
 * free and valid.
 */
export function wireCallIds(messages: readonly ModelMessage[], provider: string, rule: IdRule = anyIds): WireCallIds {
  const taken = new Set<string>()
  const calls = new Map<ToolCallContent, string>()
  const results = new Map<ToolResultMessage, string>()
  const latest = { callId: new Map<string, string>(), toolCallId: new Map<string, string>() }
  for (const message of messages) {
    if (message.role === 'toolResult') {
      const id = latest.callId.get(message.callId) ?? latest.toolCallId.get(message.toolCallId)
      if (id !== undefined) results.set(message, id)
    }
    if (message.role !== 'assistant') continue
    for (const call of message.content) {
      if (call.type !== 'toolCall') continue
      const isOwn = message.provider === provider && rule.own.test(call.id)
      const id = freeId(isOwn ? call.id : rule.legal(call.id), taken, rule)
      taken.add(id)
      calls.set(call, id)
      latest.toolCallId.set(call.id, id)
      if (call.callId !== undefined) latest.callId.set(call.callId, id)
    }
  }
  return {
    ofCall: (call) => calls.get(call) ?? rule.legal(call.id),
    ofResult: (result) => results.get(result) ?? rule.legal(result.toolCallId),
  }
}

function freeId(wanted: string, taken: ReadonlySet<string>, rule: IdRule): string {
  let id = wanted
  for (let count = 2; taken.has(id); count++) id = rule.numbered(wanted, count)
  return id
}

/** The first message of a transcript that begins with an answer, on wires that require a user's message. */
export const missingBeginning = '[The beginning of this conversation is not shown.]'

/** The provider and model of a request. Signatures, ids and thinking are sent back only to their origin. */
export interface WireTarget {
  readonly provider: string
  readonly model: string
}

/** Returns the data that a provider gave with a block, if the block goes back to the same provider and model. */
export function originOf(
  { providerData }: { readonly providerData?: ProviderData },
  { provider, model }: WireTarget,
): Readonly<Record<string, unknown>> | undefined {
  if (providerData?.provider !== provider || providerData.model !== model) return undefined
  return isRecord(providerData.data) ? providerData.data : undefined
}
