import { nextLoopTurn } from '../domain/text/platform.ts'
import { fromAiSdk, fromAiSdkUi } from './from-ai-sdk.ts'
import { fromAnthropic } from './from-anthropic.ts'
import { fromOpenAiChat } from './from-openai-chat.ts'
import { fromOwn } from './from-own.ts'
import { readAtOnce, type Readers, readParts, type ReadTranscript, type ReadTranscriptOptions } from './read-parts.ts'

const readers: Required<Readers> = {
  statewright: fromOwn,
  'openai-chat': fromOpenAiChat,
  anthropic: fromAnthropic,
  'ai-sdk': fromAiSdk,
  'ai-sdk-ui': fromAiSdkUi,
}

/**
 * Reads a list of messages from JSON text or a value: our messages, or those of OpenAI's chat completions, of Anthropic
 * or of the AI SDK. Texts, pictures, text files, calls and their results are kept; reasoning and other content is
 * listed in `leftOut`. Nothing is fetched. The limits are 50 MB of JSON and 500,000 messages. Throws a
 * `TranscriptError` for an invalid transcript, without a partial result, and a `UsageError` `bad_option` for an invalid
 * option.
 *
 * @example
 * const { messages, leftOut } = readTranscript(await readFile('talk.json', 'utf8'))
 */
export function readTranscript(value: unknown, options: ReadTranscriptOptions = {}): ReadTranscript {
  return readAtOnce(value, options, readers)
}

/** Reads a transcript as `readTranscript` does, and yields to the event loop between parts. */
export async function readTranscriptInTurns(
  value: unknown,
  options: ReadTranscriptOptions = {},
): Promise<ReadTranscript> {
  const reading = readParts(value, options, readers)
  for (;;) {
    const part = reading.next()
    if (part.done === true) return part.value
    await nextLoopTurn()
  }
}
