import { ignoreRejection } from '../domain/ignore-throws.ts'
import { mediaBytes } from '../domain/media.ts'
import type { Content, FileContent, ImageContent, ModelMessage, ToolCallContent } from '../domain/message.ts'
import { textBytes } from '../domain/text/platform.ts'
import type { CountTokens } from '../ports/prompt-strategy.ts'

/** Characters a counter is handed at once: some take a time that grows with the square of a text's length. */
const pieceLength = 2_000

/**
 * Counts the tokens of messages, each message once (requirement CTX-01): by a counter of the application where it gives
 * one, by the estimate from the first time that this counter fails.
 */
export class TokenCounter {
  #count: CountTokens
  readonly #failed: (cause: unknown) => void
  readonly #known = new WeakMap<ModelMessage, number>()

  constructor(count: CountTokens = estimateText, failed: (cause: unknown) => void = () => {}) {
    this.#count = count === estimateText ? count : (text) => countPieces(count, text)
    this.#failed = failed
  }

  of(message: ModelMessage): number {
    const known = this.#known.get(message)
    if (known !== undefined) return known
    const tokens = this.#tokensOf(message)
    this.#known.set(message, tokens)
    return tokens
  }

  ofText(text: string): number {
    try {
      return this.#count(text)
    } catch (cause) {
      this.#count = estimateText
      this.#failed(cause)
      return estimateText(text)
    }
  }

  #tokensOf(message: ModelMessage): number {
    let tokens = message.role === 'toolResult' ? this.ofText(message.toolName) + 8 : 4
    for (const block of message.content) tokens += this.#block(block)
    return tokens
  }

  #block(block: Content): number {
    switch (block.type) {
      case 'text':
        return this.ofText(block.text)
      case 'thinking':
        return this.ofText(block.thinking)
      case 'image':
        return imageTokens(block)
      case 'file':
        return documentTokens(block)
      case 'toolCall':
        return this.#call(block)
    }
  }

  #call({ name, arguments: given }: ToolCallContent): number {
    return this.ofText(name) + this.ofText(JSON.stringify(given)) + 8
  }
}

/** Four bytes a token. */
function estimateText(text: string): number {
  return Math.ceil(textBytes(text) / 4)
}

function imageTokens(block: ImageContent): number {
  return Math.min(Math.max(Math.ceil(mediaBytes(block) / 750), 85), 16_000)
}

/** A page of a document has about 50 kB and 2,000 tokens. */
function documentTokens(block: FileContent): number {
  return Math.min(Math.max(Math.ceil(mediaBytes(block) / 25), 500), 50_000)
}

function countPieces(count: CountTokens, text: string): number {
  let tokens = 0
  for (let start = 0; start < text.length;) {
    const end = wholeCharacters(text, start + pieceLength)
    const counted: unknown = count(text.slice(start, end))
    ignoreRejection(counted)
    if (typeof counted !== 'number' || !Number.isFinite(counted) || counted < 0) {
      throw new TypeError(`it gave ${String(counted)}. Expected a number of 0 or more.`)
    }
    tokens += counted
    start = end
  }
  return tokens
}

/** The nearest place at or before `end` that stands between two characters. */
export function wholeCharacters(text: string, end: number): number {
  if (end >= text.length) return text.length
  const isInside = isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end))
  return isInside ? end - 1 : end
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
