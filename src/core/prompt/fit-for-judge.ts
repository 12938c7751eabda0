import { fewestBytes, shortenBytes } from './shorten-text.ts'

/** The texts that a judge compares, and the conversation before them. */
export interface JudgedTexts {
  readonly conversation: string
  readonly answers: readonly string[]
}

/** The texts that fit, or else the shortest form of them. */
export interface FittedTexts extends JudgedTexts {
  readonly isFitting: boolean
}

const tailLines = 80
const bytesPerToken = 4

/**
 * Shortens a judge's texts to at most `most` tokens, in two passes: only the conversation, then the answers too. Each
 * text is cut to its last 80 lines, then to its first and last paragraph, then to characters.
 */
export function fitForJudge(texts: JudgedTexts, most: number, count: (text: string) => number): FittedTexts {
  const sizeOf = ({ conversation, answers }: JudgedTexts) =>
    [conversation, ...answers].reduce((sum, text) => sum + count(text), 0)
  const forConversation = Math.max(most - sizeOf({ ...texts, conversation: '' }), 0)
  const conversations = [texts.conversation, ...shortened(texts.conversation, forConversation)]
  for (const conversation of conversations) {
    const fitted = { ...texts, conversation }
    if (sizeOf(fitted) <= most) return { ...fitted, isFitting: true }
  }
  const conversation = conversations.at(-1) ?? ''
  const each = Math.floor(Math.max(most - count(conversation), 0) / Math.max(texts.answers.length, 1))
  const forms = texts.answers.map((answer) => shortened(answer, each))
  for (const tier of [0, 1, 2]) {
    const fitted = { conversation, answers: forms.map((form) => form[tier] ?? '') }
    if (sizeOf(fitted) <= most) return { ...fitted, isFitting: true }
  }
  return { conversation, answers: forms.map((form) => form.at(-1) ?? ''), isFitting: false }
}

/** Returns the three shorter forms of a text, the longest first. */
function shortened(text: string, tokens: number): readonly string[] {
  const tail = text.split('\n').slice(-tailLines).join('\n')
  const paragraphs = tail.split(/\n[ \t]*\n/).filter((paragraph) => paragraph.trim() !== '')
  const ends = paragraphs.length > 2 ? `${paragraphs[0]}\n\n...\n\n${paragraphs.at(-1)}` : tail
  return [tail, ends, shortenBytes(ends, Math.max(tokens * bytesPerToken, fewestBytes))]
}
