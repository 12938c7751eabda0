import { ignoreRejection } from '../domain/ignore-throws.ts'
import { mediaBytes } from '../domain/media.ts'
import type { Content, FileContent, ImageContent, ModelMessage, ToolCallContent } from '../domain/message.ts'
import { textBytes } from '../domain/text/platform.ts'
import type { CountTokens } from '../ports/prompt-strategy.ts'

/** The maximum characters per call of a counter, because some take time quadratic in the text's length. */
const pieceLength = 2_000

/**
 * Counts the tokens of messages, each message once (requirement CTX-01), by the application's counter if there is one.
 * After that counter fails once, it uses the estimate.
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

function estimateText(text: string): number {
  return Math.ceil(textBytes(text) / 4)
}

function imageTokens(block: ImageContent): number {
  return Math.min(Math.max(Math.ceil(mediaBytes(block) / 750), 85), 16_000)
}

/** Assumes about 50 kB and 2,000 tokens for a page. */
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

/** Returns the last position at or before `end` that splits no character. */
export function wholeCharacters(text: string, end: number): number {
  if (end >= text.length) return text.length
  return /[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(Math.max(end - 1, 0), end + 1)) ? end - 1 : end
}
