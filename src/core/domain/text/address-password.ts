/**
 * What stands before the `@` of an address: a user and a password, or a token alone, which is longer than a user's name.
 * A run of characters is looked at once, as a `/` ends it.
 */
const credentials = /:\/\/(?:([^\s/?#:@'"<>]{0,200}):[^\s/?#'"<>]{1,1000}|[^\s/?#:@'"<>]{20,1000})@/g

/** Characters after which an address that began has shown its password. */
const longest = 1_300

/** A text with the password of each address in it, or its token, masked as `[secret]`. */
export function withoutAddressPasswords(text: string): string {
  // Most texts hold no address.
  if (!text.includes('://')) return text
  return text.replaceAll(credentials, (_, user?: string) => `://${user === undefined ? '' : `${user}:`}[secret]@`)
}

/** Passwords and tokens of the addresses in a text, as they are written. */
export function addressPasswordsIn(text: string): readonly string[] {
  return [...text.matchAll(credentials)].map(([found, user]) =>
    found.slice(user === undefined ? 3 : user.length + 4, -1),
  )
}

/** Where credentials of addresses stand in a text; one at its end may go on with more text, and reaches beyond it. */
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
