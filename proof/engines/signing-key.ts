import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** A key that a server of Restate signs its requests with. */
export interface SigningKey {
  /** The file that the server reads. */
  readonly pem: string
  /** The name of the public key, as `identityKeys` takes it. */
  readonly publicKey: string
  /** Returns the headers of a request for a path that expires in so many seconds. */
  headers(path: string, expiresIn: number): Readonly<Record<string, string>>
}

/** Makes a key. */
export function signingKey(): SigningKey {
  const pair = generateKeyPairSync('ed25519')
  const publicKey = `publickeyv1_${base58(pair.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32))}`
  return {
    pem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey,
    headers: (path, expiresIn) => ({
      'x-restate-signature-scheme': 'v1',
      'x-restate-jwt-v1': signed(pair.privateKey, publicKey, path, expiresIn),
    }),
  }
}

function signed(key: KeyObject, kid: string, aud: string, expiresIn: number): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { aud, iat: now - 60, nbf: now - 60, exp: now + expiresIn }
  const text = [{ typ: 'JWT', alg: 'EdDSA', kid }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

function base58(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; rest > 0n; rest /= 58n) text = `${letters[Number(rest % 58n)] ?? ''}${text}`
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(Math.max(zeros, 0)) + text
}
