import type { SentPrompt } from './sent-prompt.ts'

/** A provider's count this many times off the estimate belongs to another prompt, such as a gateway's own sum. */
const mostOff = 2

/**
 * Returns the tokens of the sent messages (requirement CTX-01): the provider's count at its last answer, without the
 * system prompt and the tools, plus the estimate for later messages. Without a usable count, it returns the estimate.
 * `since` is the first place whose answer belongs to the prompt as it is sent now.
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
