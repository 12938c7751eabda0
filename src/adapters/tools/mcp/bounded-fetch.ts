/** A fetch function for the client package. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Limits the bytes of an answer, or of each event of a stream. A longer one fails while it is read. */
export function boundedFetch(fetch: Fetch, maxBytes: number): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.body === null) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true
    const body = response.body.pipeThrough(counted(maxBytes, isStream))
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}

const newLine = 10
const carriageReturn = 13

/** Counts the bytes of a body, or of each event of a stream: an event ends with an empty line. */
function counted(
  maxBytes: number,
  isStream: boolean,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  let isLineEmpty = true
  const add = (count: number) => {
    bytes += count
    if (bytes > maxBytes) throw new Error(`The server sent a message of more than ${maxBytes} bytes.`)
  }
  return new TransformStream({
    transform(chunk, controller) {
      if (!isStream) add(chunk.byteLength)
      for (const byte of isStream ? chunk : []) {
        add(1)
        if (byte === newLine && isLineEmpty) bytes = 0
        if (byte !== carriageReturn) isLineEmpty = byte === newLine
      }
      controller.enqueue(chunk)
    },
  })
}
