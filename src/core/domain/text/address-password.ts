/**
 * The credentials before the `@` of an address: a user and a password, or a single token, which is longer than a user's
 * name. Each run of characters is scanned once, because a `/` ends it.
 */
const credentials = /:\/\/(?:([^\s/?#:@'"<>]{0,200}):[^\s/?#'"<>]{1,1000}|[^\s/?#:@'"<>]{20,1000})@/g

/** The number of characters after which an open address must have shown its password. */
const longest = 1_300

/** Returns a text with the password or token of each address masked as `[secret]`. */
export function withoutAddressPasswords(text: string): string {
  // Most texts contain no address.
  if (!text.includes('://')) return text
  return text.replaceAll(credentials, (_, user?: string) => `://${user === undefined ? '' : `${user}:`}[secret]@`)
}

/** Returns the passwords and tokens of the addresses in a text, as written. */
export function addressPasswordsIn(text: string): readonly string[] {
  return [...text.matchAll(credentials)].map(([found, user]) =>
    found.slice(user === undefined ? 3 : user.length + 4, -1),
  )
}

/**
 * Returns the ranges of credentials in a text. A range at the text's end may continue in the following text and exceeds
 * the text's length.
 */
export function addressesIn(text: string): readonly { readonly from: number; readonly to: number }[] {
  const found = [...text.matchAll(credentials)].map((match) => ({
    from: match.index,
    to: match.index + match[0].length,
  }))
  const open = openAddress(text)
  return open === undefined ? found : [...found, { from: open, to: Infinity }]
}

function openAddress(text: string): number | undefined {
  const start = text.lastIndexOf('://')
  const isOpen = start !== -1 && text.length - start < longest && !/[\s/?#'"<>]/.test(text.slice(start + 3))
  if (isOpen) return start
  const begun = /:\/?$/.exec(text.slice(-2))
  return begun === null ? undefined : text.length - begun[0].length
}
