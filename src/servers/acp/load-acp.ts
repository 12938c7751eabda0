import type { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { missingPackage } from '../../core/domain/missing-package.ts'

/** The package of the protocol. */
export type Acp = Awaited<ReturnType<typeof loadAcp>>

/** Loads the package of the protocol. Rejects with a `UsageError` `package_missing` without it. */
export async function loadAcp() {
  return await import('@agentclientprotocol/sdk').catch((cause: unknown) => {
    throw missingPackage('@agentclientprotocol/sdk', cause)
  })
}

/** Returns what the other side writes. One whose message is too long is read no further, which `Readable.toWeb` may throw at. */
export function inputFrom(stream: Readable) {
  return ReadableStream.from<Uint8Array>(stream) as globalThis.ReadableStream<Uint8Array>
}
