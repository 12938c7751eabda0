/** Returns the body as text, or undefined if the body is late or too long; the rest is not read. */
export async function readBounded(
  { body, headers }: Pick<Request | Response, 'body' | 'headers'>,
  most: number,
  late?: AbortSignal,
): Promise<string | undefined> {
  if (Number(headers.get('content-length') ?? 0) > most) {
    await body?.cancel()
    return undefined
  }
  if (body === null) return ''
  const decoder = new TextDecoder()
  const reader = body.getReader()
  // A cancelled body ends the current read.
  const leave = () => void reader.cancel().catch(() => undefined)
  late?.addEventListener('abort', leave, { once: true })
  let text = ''
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (late?.aborted === true) return undefined
      if (done) return text + decoder.decode()
      bytes += value.byteLength
      if (bytes > most) {
        await reader.cancel()
        return undefined
      }
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    late?.removeEventListener('abort', leave)
  }
}
