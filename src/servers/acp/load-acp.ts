import { missingPackage } from '../../core/domain/missing-package.ts'

/** The package of the protocol. */
export type Acp = Awaited<ReturnType<typeof loadAcp>>

/** Loads the package of the protocol. Rejects with a `UsageError` `package_missing` without it. */
export async function loadAcp() {
  return await import('@agentclientprotocol/sdk').catch((cause: unknown) => {
    throw missingPackage('@agentclientprotocol/sdk', cause)
  })
}
