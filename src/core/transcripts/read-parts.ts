import { copyJson } from '../domain/text/json-copy.ts'
import { maxJsonBytes } from '../domain/text/json-limits.ts'
import { isRecord } from '../domain/text/json.ts'
import type { Message } from '../domain/message.ts'
import { checkOptions, number, oneOf, optional, type OptionShape } from '../domain/text/option-shape.ts'
import { parseJson, refusedKeys } from '../domain/text/parse-json.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
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

const wish = 'Expected a list of messages, or an object with such a list in messages.'

const partLength = 10_000

const mostMessages = 500_000

/** The readers of a message, by format. */
export type Readers = { readonly [Format in TranscriptFormat]?: ReadMessage }

/** Reads a transcript in parts, so that the caller may pause between parts. */
export function* readParts(
  value: unknown,
  options: ReadTranscriptOptions,
  readers: Readers,
): Generator<undefined, ReadTranscript> {
  checkOptions('readTranscript', options, shape)
  const { now = Date.now() } = options
  const isText = typeof value === 'string'
  const whole = isText ? parsed(value) : plain(value)
  yield
  const list = isRecord(whole) ? whole['messages'] : whole
  if (!Array.isArray(list)) throw new TranscriptError('unknown_format', `The transcript is not a list. ${wish}`)
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
    if (!isRecord(message)) throw reading.refuse('is not an object')
    pieces.push(...(readers[format]?.(message, reading) ?? []))
  }
  const { messages, repaired } = yield* joinPieces(pieces, reading, now)
  const leftOut = reading.leftOut.toSorted((left, right) => left.at - right.at)
  return { messages, leftOut, repaired, format }
}

/** Reads a transcript without a pause. */
export function readAtOnce(value: unknown, options: ReadTranscriptOptions, readers: Readers): ReadTranscript {
  const reading = readParts(value, options, readers)
  for (;;) {
    const part = reading.next()
    if (part.done === true) return part.value
  }
}

function parsed(text: string): unknown {
  if (text.length > maxJsonBytes) throw tooLarge()
  try {
    return parseJson(text)
  } catch (error) {
    const problem = thrownText(error)
    if (
      error instanceof SyntaxError &&
      problem.startsWith('the key "') &&
      refusedKeys.has(problem.split('"')[1] ?? '')
    ) {
      throw refused(`has a key that is not allowed: ${problem}`)
    }
    throw new TranscriptError('not_json', `The transcript is not JSON: ${problem.slice(0, 200)}. ${wish}`, {
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
  const most = `at most ${maxJsonBytes} bytes of JSON are accepted`
  return new TranscriptError('too_large', `The transcript is too large: ${most}. Leave out files and old messages.`)
}

function tooLong(length: number): TranscriptError {
  const most = `at most ${mostMessages} messages are accepted`
  return new TranscriptError('too_large', `The transcript has ${length} messages: ${most}. Leave out old messages.`)
}

function refused(problem: string): TranscriptError {
  return new TranscriptError('bad_transcript', `The transcript ${problem}. ${wish}`)
}
