import { UsageError } from '../../../core/domain/text/usage-error.ts'

/** The maximum number of checked signatures of one request. */
const mostSignatures = 10
/** The length of a version and 32 bytes in base64. */
const signatureLength = 'v1,'.length + 44

/**
 * Returns functions that sign and check messages as Standard Webhooks does. Throws a `UsageError` for an invalid secret
 * of an owner.
 */
export function signer(secrets: readonly string[], owner = 'httpBroker') {
  const bytes = secrets.map((secret) => bytesOf(secret, owner))
  let imported: Promise<readonly CryptoKey[]> | undefined
  const keys = () =>
    (imported ??= Promise.all(
      bytes.map((one) =>
        crypto.subtle.importKey('raw', one, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']),
      ),
    ))
  const signed = (id: string, timestamp: string, body: string) => new TextEncoder().encode(`${id}.${timestamp}.${body}`)

  return {
    async sign(id: string, timestamp: string, body: string): Promise<string> {
      const [key] = await keys()
      if (key === undefined) throw new UsageError('bad_option', `${owner} has no secret to sign with.`)
      const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed(id, timestamp, body)))
      return `v1,${btoa(String.fromCharCode(...signature))}`
    },

    /** Returns true if one of the signatures, which are separated by blanks, is valid for one of the secrets. */
    async isSigned(id: string, timestamp: string, body: string, signatures: string): Promise<boolean> {
      const given = signatures
        .split(' ', mostSignatures)
        .flatMap((one) =>
          one.startsWith('v1,') && one.length === signatureLength ? (decoded(one.slice(3)) ?? []) : [],
        )
      const content = signed(id, timestamp, body)
      for (const key of await keys())
        for (const signature of given) if (await crypto.subtle.verify('HMAC', key, signature, content)) return true
      return false
    },
  }
}

function bytesOf(secret: string, owner: string): Uint8Array<ArrayBuffer> {
  const bytes = decoded(secret.replace(/^whsec_/, ''))
  if (bytes !== undefined && bytes.length >= 24 && bytes.length <= 64) return bytes
  const wish = 'Expected whsec_ and 24 to 64 random bytes in base64.'
  throw new UsageError('bad_option', `A secret of ${owner} is invalid. ${wish}`)
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
