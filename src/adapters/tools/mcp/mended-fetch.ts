import type { Fetch } from './bounded-fetch.ts'
import { mendMessage } from './mend-message.ts'

/**
 * Returns a fetch whose successful answers contain only messages that the client package reads, in bodies and in
 * events.
 */
export function mendedFetch(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    const type = response.headers.get('content-type') ?? ''
    const mend = /^text\/event-stream\b/i.test(type)
      ? mendEvents
      : /^application\/json\b/i.test(type)
        ? mendWhole
        : undefined
    if (!response.ok || response.body === null || mend === undefined) return response
    const body = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(mend())
      .pipeThrough(new TextEncoderStream())
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}

function mendWhole(): TransformStream<string, string> {
  const parts: string[] = []
  return new TransformStream({
    transform: (chunk) => void parts.push(chunk),
    flush: (controller) => controller.enqueue(mended(parts.join(''))),
  })
}

/** An event ends with an empty line; its data may be of several lines. */
function mendEvents(): TransformStream<string, string> {
  let line = ''
  let event: string[] = []
  return new TransformStream({
    transform: (chunk, controller) => {
      const [first = '', ...others] = chunk.split('\n')
      line += first
      for (const next of others) {
        event.push(line.replace(/\r$/, ''))
        if (event.at(-1) === '') {
          controller.enqueue(`${mendedEvent(event).join('\n')}\n`)
          event = []
        }
        line = next
      }
    },
    flush: (controller) => controller.enqueue([...event, line].join('\n')),
  })
}

const isData = (line: string) => line.startsWith('data:')

function mendedEvent(lines: readonly string[]): readonly string[] {
  if (!lines.some(isData)) return lines
  const data = lines.filter(isData).map((line) => line.slice('data:'.length))
  const others = lines.filter((line) => !isData(line))
  const [end = '', ...fields] = others.toReversed()
  return [
    ...fields.toReversed(),
    ...mended(data.join('\n'))
      .split('\n')
      .map((line) => `data:${line}`),
    end,
  ]
}

/** Text that is not JSON stays as it is: the package refuses it. */
function mended(json: string): string {
  try {
    return JSON.stringify(mendMessage(JSON.parse(json)))
  } catch {
    return json
  }
}
