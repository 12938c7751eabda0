/** As the web's own; what the MCP package takes for its requests. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Limits the bytes of an answer, or of each event of a stream; a longer one fails while it is read. */
export function boundedFetch(fetch: Fetch, maxBytes: number): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.body === null) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true
    const body = response.body.pipeThrough(isStream ? countEvents(maxBytes) : countAll(maxBytes))
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}

type Counter = TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>

function countAll(maxBytes: number): Counter {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw tooLong(maxBytes)
      controller.enqueue(chunk)
    },
  })
}

const newLine = 10
const carriageReturn = 13

/** An event ends with an empty line. */
function countEvents(maxBytes: number): Counter {
  let bytes = 0
  let isLineEmpty = true
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) {
        bytes++
        if (byte === newLine) {
          if (isLineEmpty) bytes = 0
          isLineEmpty = true
        } else if (byte !== carriageReturn) isLineEmpty = false
        if (bytes > maxBytes) throw tooLong(maxBytes)
      }
      controller.enqueue(chunk)
    },
  })
}

function tooLong(maxBytes: number): Error {
  return new Error(`The server sent a message of more than ${maxBytes} bytes.`)
}
