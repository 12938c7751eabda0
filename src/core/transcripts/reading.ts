import { isRecord, type Json } from '../domain/text/json.ts'
import type {
  AssistantMessage,
  ExtensionMessage,
  ImageContent,
  TextContent,
  ThinkingContent,
  ToolCallContent,
  ToolResultMessage,
} from '../domain/message.ts'
import { TranscriptError } from './transcript-error.ts'

/** What was not taken of a transcript. */
export interface LeftOut {
  /** The message it was in, counted from 0. */
  readonly at: number
  /** E.g. `reasoning`, `system`, `image`, `file`, `result`. */
  readonly what: string
  readonly why: string
}

/** A block that a user's message or a result may hold. */
export type Shown = TextContent | ImageContent

/** A part of a transcript in its order, before calls and results are put together. */
export type Piece =
  | { readonly kind: 'user'; readonly at: number; readonly content: readonly Shown[]; readonly timestamp?: number }
  | {
      readonly kind: 'assistant'
      readonly at: number
      readonly content: readonly (TextContent | ThinkingContent | ToolCallContent)[]
      /** What else is known of the answer. */
      readonly known?: Partial<AssistantMessage>
    }
  | {
      readonly kind: 'result'
      readonly at: number
      /** Of the call: ours, or that of the provider. */
      readonly id: string
      readonly content: readonly Shown[]
      readonly isError: boolean
      /** What else is known of the result. */
      readonly known?: Partial<ToolResultMessage>
    }
  | {
      readonly kind: 'extension'
      readonly at: number
      readonly message: Omit<ExtensionMessage, 'timestamp'> & Partial<ExtensionMessage>
    }

/** Reads one message of a format. */
export type ReadMessage = (message: Readonly<Record<string, unknown>>, reading: Reading) => readonly Piece[]

/** Where a reader stands, and what it has left out. */
export class Reading {
  at = 0
  readonly leftOut: LeftOut[] = []

  leave(what: string, why: string): readonly [] {
    this.leftOut.push({ at: this.at, what, why })
    return []
  }

  refuse(problem: string): TranscriptError {
    const wish = 'Nothing was taken: mend or leave out that message, or name another format.'
    return new TranscriptError('bad_transcript', `Message ${this.at} ${problem}. ${wish}`, { at: this.at })
  }

  /** The text of a field. */
  text(from: Readonly<Record<string, unknown>>, field: string): string {
    const value = from[field]
    if (typeof value === 'string') return value
    throw this.refuse(`has no text in ${field}`)
  }

  /** A content that is a text, or blocks; nothing for null. */
  blocks(content: unknown): readonly Readonly<Record<string, unknown>>[] {
    if (content === undefined || content === null || content === '') return []
    if (typeof content === 'string') return [{ type: 'text', text: content }]
    if (Array.isArray(content) && content.every(isRecord)) return content
    throw this.refuse('has a content that is neither a text nor a list of blocks')
  }
}

/** A block of text; none for an empty one. */
export function textBlock(text: string): readonly TextContent[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

/** A call of a model, its arguments still as the provider gave them. */
export function callBlock(id: string, name: string, given: Json): ToolCallContent {
  return { type: 'toolCall', id, name, arguments: given }
}

/** A call whose arguments came as text; an empty one is `{}`, one that is no JSON is marked, as an answer's would be. */
export function callOfText(id: string, name: string, text: string): ToolCallContent {
  if (text.trim() === '') return callBlock(id, name, {})
  try {
    return callBlock(id, name, JSON.parse(text) as Json)
  } catch (error) {
    return { ...callBlock(id, name, {}), malformed: error instanceof Error ? error.message : 'it is no JSON' }
  }
}

/** A value as a result shows it. */
export function resultText(value: unknown): readonly TextContent[] {
  return textBlock(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}
