import type { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { loadPackage } from '../../core/domain/load-package.ts'

/** The package of the protocol. */
export type Acp = Awaited<ReturnType<typeof loadAcp>>

/** Loads the package of the protocol. Rejects with a `UsageError` `package_missing` without it. */
export function loadAcp() {
  return loadPackage('@agentclientprotocol/sdk', () => import('@agentclientprotocol/sdk'))
}

/** Returns what the other side writes. One whose message is too long is read no further, which `Readable.toWeb` may throw at. */
export function inputFrom(stream: Readable) {
  return ReadableStream.from<Uint8Array>(stream) as globalThis.ReadableStream<Uint8Array>
}
