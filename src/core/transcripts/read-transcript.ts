import { copyJson } from '../domain/text/json-copy.ts'
import { maxJsonBytes } from '../domain/text/json-limits.ts'
import { isRecord } from '../domain/text/json.ts'
import type { Message } from '../domain/message.ts'
import { checkOptions, number, oneOf, optional, type OptionShape } from '../domain/text/option-shape.ts'
import { isRefusedKey, parseJson } from '../domain/text/parse-json.ts'
import { nextLoopTurn } from '../domain/text/platform.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import { fromAiSdk, fromAiSdkUi } from './from-ai-sdk.ts'
import { fromAnthropic } from './from-anthropic.ts'
import { fromOpenAiChat } from './from-openai-chat.ts'
import { fromOwn } from './from-own.ts'
import { joinPieces, type RepairedCall } from './join-pieces.ts'
import { type LeftOut, type Piece, Reading, type ReadMessage } from './reading.ts'
import { TranscriptError } from './transcript-error.ts'
import { formatOf, type TranscriptFormat, transcriptFormats } from './transcript-format.ts'

/** Options of `readTranscript`; all are optional. */
export interface ReadTranscriptOptions {
  /** The format. Default: detected by the blocks that only one format has. */
  readonly format?: TranscriptFormat
  /** Unix milliseconds for messages without a time. Default: the computer's clock. */
  readonly now?: number
}

/** A transcript from another system as our messages. */
export interface ReadTranscript {
  /** The messages; every call has one result, right after its answer. */
  readonly messages: readonly Message[]
  /** The content that our messages cannot hold, in its order. */
  readonly leftOut: readonly LeftOut[]
  /** The calls without a result; their generated results say so. */
  readonly repaired: readonly RepairedCall[]
  readonly format: TranscriptFormat
}

const shape: OptionShape<ReadTranscriptOptions> = {
  format: optional(oneOf(...transcriptFormats)),
  now: optional(number('finite Unix milliseconds', Number.isFinite)),
}

const readers: Readonly<Record<TranscriptFormat, ReadMessage>> = {
  statewright: fromOwn,
  'openai-chat': fromOpenAiChat,
  anthropic: fromAnthropic,
  'ai-sdk': fromAiSdk,
  'ai-sdk-ui': fromAiSdkUi,
}

const wish = 'Expected a list of messages, or an object with such a list in messages.'

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
  const reading = readParts(value, options)
  for (;;) {
    const part = reading.next()
    if (part.done === true) return part.value
  }
}

/** Reads a transcript as `readTranscript` does, and yields to the event loop between parts. */
export async function readTranscriptInTurns(
  value: unknown,
  options: ReadTranscriptOptions = {},
): Promise<ReadTranscript> {
  const reading = readParts(value, options)
  for (;;) {
    const part = reading.next()
    if (part.done === true) return part.value
    await nextLoopTurn()
  }
}

const partLength = 10_000

const mostMessages = 500_000

/** Reads a transcript in parts, so that the caller may pause between parts. */
function* readParts(value: unknown, options: ReadTranscriptOptions): Generator<undefined, ReadTranscript> {
  checkOptions('readTranscript', options, shape)
  const { now = Date.now() } = options
  const isText = typeof value === 'string'
  const whole = isText ? parsed(value) : plain(value)
  yield
  const list = isRecord(whole) ? whole['messages'] : whole
  if (!Array.isArray(list)) throw new TranscriptError('unknown_format', `The transcript is no list. ${wish}`)
  if (list.length > mostMessages) throw tooLong(list.length)
  const { format = formatOf(list) } = options
  const reading = new Reading()
  if (isRecord(whole) && whole['system'] !== undefined) reading.leave('system', 'instructions are those of the agent')
  const pieces: Piece[] = []
  for (const [at, given] of list.entries()) {
    if (at % partLength === 0) yield
    reading.at = at
    // Parsed text has no other owner, so that a copy is not needed, but it may be too deep.
    const message = isText ? plain(given) : given
    if (!isRecord(message)) throw reading.refuse('is no object')
    pieces.push(...readers[format](message, reading))
  }
  const { messages, repaired } = yield* joinPieces(pieces, reading, now)
  const leftOut = reading.leftOut.toSorted((left, right) => left.at - right.at)
  return { messages, leftOut, repaired, format }
}

function parsed(text: string): unknown {
  if (text.length > maxJsonBytes) throw tooLarge()
  try {
    return parseJson(text)
  } catch (error) {
    const problem = thrownText(error)
    if (error instanceof SyntaxError && problem.startsWith('the key "') && isRefusedKey(problem.split('"')[1] ?? '')) {
      throw refused(`holds a key that is not taken: ${problem}`)
    }
    throw new TranscriptError('not_json', `The transcript is no JSON: ${problem.slice(0, 200)}. ${wish}`, {
      cause: error,
    })
  }
}

/** Returns a copy, so that the given value is read only once; throws for a value that is too deep or too large. */
function plain(value: unknown): unknown {
  const copied = copyJson(value, { freezes: true })
  if (copied.problem === undefined) return copied.value
  throw copied.problem.startsWith('is too large') ? tooLarge() : refused(copied.problem)
}

function tooLarge(): TranscriptError {
  const most = `at most ${maxJsonBytes} bytes of JSON are taken`
  return new TranscriptError('too_large', `The transcript is too large: ${most}. Leave out files and old messages.`)
}

function tooLong(length: number): TranscriptError {
  const most = `at most ${mostMessages} messages are taken`
  return new TranscriptError('too_large', `The transcript has ${length} messages: ${most}. Leave out old messages.`)
}

function refused(problem: string): TranscriptError {
  return new TranscriptError('bad_transcript', `The transcript ${problem}. ${wish}`)
}
