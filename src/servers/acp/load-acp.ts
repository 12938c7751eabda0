import { ServeAcpError } from './serve-acp-error.ts'

/** The package of the protocol. */
export type Acp = Awaited<ReturnType<typeof loadAcp>>

/** Loads the package of the protocol. Rejects with a `ServeAcpError` if it is missing. */
export async function loadAcp() {
  try {
    return await import('@agentclientprotocol/sdk')
  } catch (cause) {
    const name = '@agentclientprotocol/sdk'
    const text = `The package ${name} could not be loaded. It is an optional peer dependency: npm install ${name}`
    throw new ServeAcpError(text, { cause })
  }
}
