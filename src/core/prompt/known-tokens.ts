import type { SentPrompt } from './sent-prompt.ts'

/** A provider's count that is this much off the estimate is none of this prompt: an answer in parts, a gateway's own sum. */
const mostOff = 2

/**
 * Tokens of the messages that are sent (requirement CTX-01): what the provider counted of those its last answer was given
 * to, less the system prompt and the tools, and the estimate for those behind; the estimate alone where nothing is known.
 * `since` is the first place whose answer was given to what is sent now.
 */
export function knownTokens(sent: SentPrompt, { since, overhead }: { since: number; overhead: number }): number {
  const { tokens, list, lastAnswer } = sent
  const answer = list[lastAnswer]
  const covered = sent.tokensBefore(lastAnswer)
  if (answer?.role !== 'assistant' || lastAnswer < since || covered === undefined) return tokens
  const { input, cacheRead, cacheWrite } = answer.usage
  const counted = input + cacheRead + cacheWrite - overhead
  const isOfPrompt = counted * mostOff >= covered && counted <= covered * mostOff
  return isOfPrompt ? counted + tokens - covered : tokens
}
