/** Returns the plain base64 of a source, and the media type that a `data:` address names. */
export function bytesIn(source: string): { readonly data?: string; readonly label?: string } {
  if (!/^data:/i.test(source)) return whole(source)
  const comma = source.indexOf(',')
  const head = source.slice('data:'.length, Math.max(comma, 0))
  const [label = ''] = head.split(';')
  const body = source.slice(comma + 1)
  const found = /;\s*base64\s*$/i.test(head) ? whole(body) : encodedText(body)
  return comma < 0 ? {} : { ...found, ...(label === '' ? {} : { label }) }
}

function whole(given: string): { readonly data?: string } {
  if (isPlain(given)) return { data: given }
  const letters = given
    .replaceAll(/[\s=]+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  const data = letters + '='.repeat((4 - (letters.length % 4)) % 4)
  return isPlain(data) ? { data } : {}
}

function isPlain(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
}

/** Returns the base64 of the text in a `data:` address. */
function encodedText(text: string): { readonly data?: string } {
  try {
    return { data: base64Of(new TextEncoder().encode(decodeURIComponent(text))) }
  } catch {
    return {}
  }
}

const pieceBytes = 32_766

/** Returns bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  let base64 = ''
  for (let start = 0; start < bytes.length; start += pieceBytes)
    base64 += btoa(String.fromCharCode(...bytes.subarray(start, start + pieceBytes)))
  return base64
}

/** Decodes base64 to UTF-8 text; returns undefined if the bytes are not text or contain a zero byte. */
export function decodedText(data: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
