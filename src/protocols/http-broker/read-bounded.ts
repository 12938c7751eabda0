/** The body as text; undefined for one of more bytes, of which no more is read. */
export async function readBounded(
  { body, headers }: Pick<Request | Response, 'body' | 'headers'>,
  most: number,
): Promise<string | undefined> {
  if (Number(headers.get('content-length') ?? 0) > most) {
    await body?.cancel()
    return undefined
  }
  if (body === null) return ''
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > most) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
