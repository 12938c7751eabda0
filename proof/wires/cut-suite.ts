import assert from 'node:assert/strict'
import { toolCallsOf, userMessage } from '../../src/core/domain/message.ts'
import { ModelError } from '../../src/core/domain/model-error.ts'
import type { Model, ModelEvent } from '../../src/core/ports/model.ts'
import type { SuiteCase } from '../conformance/run-suite.ts'
import { aiSdkPackages } from './ai-sdk-packages.ts'
import { bytesOf, type Frame } from './fault-server.ts'
import type { Wire } from './wire.ts'
import { wires } from './wires.ts'

/** A model whose streams are cut. */
export interface CutSubject {
  readonly name: string
  readonly wire: Pick<Wire, 'call' | 'calls' | 'mediaType'>
  readonly make: (fetch: typeof globalThis.fetch) => Model
}

/** Every wire there is, and the packages of the AI SDK. */
export const cutSubjects: readonly CutSubject[] = [
  ...wires.map((wire) => ({
    name: wire.name,
    wire,
    make: (fetch: typeof globalThis.fetch) => wire.make('http://127.0.0.1:9', { fetch }),
  })),
  ...aiSdkPackages,
]

/** The end of a body that ends too early. */
type CutKind = 'end' | 'break'

/**
 * No answer is taken for whole that was cut before its end, whether the line ends well or breaks. Of the bytes of a short
 * answer those are tried that are chosen.
 */
export function cutSuite(
  subject: CutSubject,
  choose = (bytes: readonly number[]): readonly number[] => bytes,
): readonly SuiteCase[] {
  const [long, short] = [subject.wire.calls, subject.wire.call('{"city":"Oslo"}')]
  return [
    {
      name: 'takes a whole stream for a whole answer',
      run: async () => {
        for (const frames of [long, short]) {
          const bytes = bytesOf(frames)
          const { events, error } = await heard(subject, bytes, bytes.length, 'end')
          assert.equal(error, undefined)
          const last = events.at(-1)
          assert.ok(last?.type === 'finished')
          assert.deepEqual(toolCallsOf(last.message)[0]?.arguments, { city: 'Oslo' })
        }
      },
    },
    {
      name: 'takes no stream for an answer that ends at any byte before its end',
      run: () => refuses(subject, short, 'end', choose([...Array(endIn(short)).keys()])),
    },
    {
      name: 'takes no long stream for an answer that ends in or beside an event',
      run: () => refuses(subject, long, 'end', placesIn(long)),
    },
    {
      name: 'takes no stream for an answer whose line breaks in or beside an event',
      run: () => refuses(subject, long, 'break', placesIn(long)),
    },
  ]
}

async function refuses(
  subject: CutSubject,
  frames: readonly Frame[],
  kind: CutKind,
  lengths: Iterable<number>,
): Promise<void> {
  const bytes = bytesOf(frames)
  for (const length of lengths) {
    const { events, error } = await heard(subject, bytes, length, kind)
    const where = `cut at byte ${length} of ${bytes.length}`
    assert.ok(
      events.every(({ type }) => type !== 'finished'),
      `${where} it is taken for whole`,
    )
    assert.ok(error instanceof ModelError, `${where} it fails by ${String(error)}`)
    assert.equal(error.kind, 'network', `${where} it fails by ${error.message}`)
  }
}

/** The place of the event that ends an answer on each wire. */
const terminal = /"finish_reason":"|"finishReason":"|"message_stop"|"response\.completed"|:event-type.{3}metadata/s

/** Around the end of each event, and in its middle. */
function placesIn(frames: readonly Frame[]): readonly number[] {
  const bytes = bytesOf(frames)
  const isText = frames.every((frame) => typeof frame === 'string')
  const parts = isText ? bytes.toString().split(/(?<=\n\n)/) : frames
  let before = 0
  const places = parts.flatMap((part) => {
    const { length } = Buffer.from(part)
    const start = before
    before += length
    return [start, start + 1, start + Math.floor(length / 2), start + length - 3, start + length - 1]
  })
  const end = endIn(frames)
  return places.filter((place) => place < end)
}

/** The bytes up to the last one of the event that ends the answer; a reader needs no blank line after it. */
function endIn(frames: readonly Frame[]): number {
  const place = frames.findIndex((frame) => terminal.test(bytesOf([frame]).toString()))
  assert.ok(place >= 0, 'The stream has no terminal event.')
  const before = bytesOf(frames.slice(0, place))
  const last = bytesOf(frames.slice(place, place + 1))
  const isText = typeof frames[place] === 'string'
  return before.length + (isText ? last.toString().trimEnd().length : last.length)
}

async function heard(subject: CutSubject, bytes: Uint8Array, length: number, kind: CutKind) {
  const headers = { 'content-type': subject.wire.mediaType ?? 'text/event-stream' }
  const fetch = async () => new Response(bodyOf(bytes.slice(0, length), kind), { headers })
  const events: ModelEvent[] = []
  const { signal } = new AbortController()
  try {
    const asked = { system: '', messages: [userMessage('Hello', 1)], tools: [], signal }
    for await (const event of subject.make(fetch).stream(asked)) events.push(event)
  } catch (error) {
    return { events, error }
  }
  return { events }
}

function bodyOf(bytes: Uint8Array<ArrayBuffer>, kind: CutKind): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = bytes.length === 0 ? [] : [bytes]
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.shift()
      if (piece !== undefined) controller.enqueue(piece)
      else if (kind === 'end') controller.close()
      else controller.error(new TypeError('terminated'))
    },
  })
}
