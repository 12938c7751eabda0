import { Readable, Writable } from 'node:stream'
import { having } from '../core/domain/text/option-shape.ts'
import type { Agent } from '../index.ts'
import { editorApp } from './acp/editor-app.ts'
import { loadAcp } from './acp/load-acp.ts'

export { acpAgent } from './acp/acp-agent.ts'
export type { AcpAgentOptions } from './acp/acp-agent.ts'
export type { ForeignProcess } from './acp/foreign-session.ts'
export { ServeAcpError } from './acp/serve-acp-error.ts'

/** Options of `serveAcp`. */
export interface ServeAcpOptions {
  /** The stream with the editor's messages. Default: standard input. */
  readonly input?: Readable
  /** The stream for the agent's messages. Default: standard output. */
  readonly output?: Writable
}

/** An agent that is being served to an editor. */
export interface AcpService {
  /** Resolves when the editor has closed the connection or `close` was called. */
  readonly closed: Promise<void>
  /** Ends the connection. Runs stay stored, and their questions are asked again after the session is loaded. */
  close(): Promise<void>
}

/**
 * Serves an agent to an editor over the Agent Client Protocol, version 1. By default it uses the standard input and output
 * of this process, which must print nothing else. Calls that wait for an approval become permission requests, and calls
 * that wait for a value become elicitations. Only sessions that were begun over this protocol are listed and loaded.
 * Rejects with a `ServeAcpError` if the package `@agentclientprotocol/sdk` is missing.
 *
 * @example
 * const { closed } = await serveAcp(agent)
 * await closed
 */
export async function serveAcp(agent: Agent, options: ServeAcpOptions = {}): Promise<AcpService> {
  having('an agent, as createAgent gives it', 'start', 'load', 'session')(agent, { field: 'agent', owner: 'serveAcp' })
  const { input = process.stdin, output = process.stdout } = options
  const sdk = await loadAcp()
  const editor = editorApp(agent, sdk)
  const written = Writable.toWeb(output)
  const read = Readable.toWeb(input) as ReadableStream<Uint8Array>
  const connection = editor.app.connect(sdk.ndJsonStream(written, read, { maxMessageBytes }))
  const closed = connection.closed.catch(() => undefined).then(() => editor.leave())
  return {
    closed,
    close: async () => {
      connection.close()
      await closed
    },
  }
}

/** The maximum bytes of one message; a prompt may contain pictures. */
const maxMessageBytes = 33_554_432
