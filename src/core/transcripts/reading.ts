import { isRecord, type Json } from '../domain/text/json.ts'
import type {
  AssistantMessage,
  ExtensionMessage,
  ShownContent,
  TextContent,
  ThinkingContent,
  ToolCallContent,
  ToolResultMessage,
} from '../domain/message.ts'
import { TranscriptError } from './transcript-error.ts'

/** Content of a transcript that was left out. */
export interface LeftOut {
  /** The index of its message, from 0. */
  readonly at: number
  /** The kind of content, e.g. `reasoning`, `system`, `image`, `file`, `result`. */
  readonly what: string
  readonly why: string
}

/** A part of a transcript in its order, before calls and results are joined. */
export type Piece =
  | {
      readonly kind: 'user'
      readonly at: number
      readonly content: readonly ShownContent[]
      readonly timestamp?: number
    }
  | {
      readonly kind: 'assistant'
      readonly at: number
      readonly content: readonly (TextContent | ThinkingContent | ToolCallContent)[]
      /** Other known fields of the answer. */
      readonly known?: Partial<AssistantMessage>
    }
  | {
      readonly kind: 'result'
      readonly at: number
      /** The id of the call: ours, or the provider's. */
      readonly id: string
      readonly content: readonly ShownContent[]
      readonly isError: boolean
      readonly known?: Partial<ToolResultMessage>
    }
  | {
      readonly kind: 'extension'
      readonly at: number
      readonly message: Omit<ExtensionMessage, 'timestamp'> & Partial<ExtensionMessage>
    }

/** A function that reads one message of a format. */
export type ReadMessage = (message: Readonly<Record<string, unknown>>, reading: Reading) => readonly Piece[]

/** The position of a reader, and the content that it has left out. */
export class Reading {
  at = 0
  readonly leftOut: LeftOut[] = []

  leave(what: string, why: string): readonly [] {
    this.leftOut.push({ at: this.at, what, why })
    return []
  }

  refuse(problem: string): TranscriptError {
    const wish = 'Nothing was imported: repair or remove that message, or name another format.'
    return new TranscriptError('bad_transcript', `Message ${this.at} ${problem}. ${wish}`, { at: this.at })
  }

  text(from: Readonly<Record<string, unknown>>, field: string): string {
    const value = from[field]
    if (typeof value === 'string') return value
    throw this.refuse(`has no text in ${field}`)
  }

  /** Returns the blocks of a content, which may be a text; null has none. */
  blocks(content: unknown): readonly Readonly<Record<string, unknown>>[] {
    if (content === undefined || content === null || content === '') return []
    if (typeof content === 'string') return [{ type: 'text', text: content }]
    if (Array.isArray(content) && content.every(isRecord)) return content
    throw this.refuse('has a content that is neither a text nor a list of blocks')
  }
}

/** Returns a text block; none for an empty text. */
export function textBlock(text: string): readonly TextContent[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

/** Returns a call of a model with the provider's arguments. */
export function callBlock(id: string, name: string, given: Json): ToolCallContent {
  return { type: 'toolCall', id, name, arguments: given }
}

/** Returns a call with arguments as text. Empty text means `{}`; text that is not JSON is marked as malformed. */
export function callOfText(id: string, name: string, text: string): ToolCallContent {
  if (text.trim() === '') return callBlock(id, name, {})
  try {
    return callBlock(id, name, JSON.parse(text) as Json)
  } catch (error) {
    return { ...callBlock(id, name, {}), malformed: error instanceof Error ? error.message : 'it is not JSON' }
  }
}

/** Returns the blocks that show a value in a result. */
export function resultText(value: unknown): readonly TextContent[] {
  return textBlock(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}
