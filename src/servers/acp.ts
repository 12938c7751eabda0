import { type Readable, Writable } from 'node:stream'
import { checkedElsewhere, checkOptions, having, listOf, optional, text } from '../core/domain/text/option-shape.ts'
import { type Agent, UsageError } from '../index.ts'
import { editorApp } from './acp/editor-app.ts'
import { inputFrom, loadAcp } from './acp/load-acp.ts'
import { offerOf } from './acp/editor-session.ts'
import type { AgentMaker } from './acp/editor.ts'

export { acpAgent, type AcpAgentOptions } from './acp/acp-agent.ts'
export type { AgentMaker, EditorChoice, EditorSession } from './acp/editor.ts'
export type { ForeignProcess } from './acp/foreign-process.ts'

/** Options of `serveAcp`. */
export interface ServeAcpOptions {
  /** The stream with the editor's messages. Default: standard input. */
  readonly input?: Readable
  /** The stream for the agent's messages. Default: standard output. */
  readonly output?: Writable
  /** Names of the editor's MCP servers that may be started as programs. Default: none. */
  readonly programs?: readonly string[]
}

/** An agent that is being served to an editor. */
export interface AcpService {
  /** Resolves when the editor has closed the connection or `close` was called. */
  readonly closed: Promise<void>
  /** Ends the connection. Runs stay stored, and their questions are asked again after the session is loaded. */
  close(): Promise<void>
}

/**
 * Serves an agent to an editor over the Agent Client Protocol, version 1. By default it uses the standard input and
 * output of this process, which must print nothing else. Calls that wait for an approval become permission requests,
 * and calls that wait for a value become elicitations. Only sessions that were begun over this protocol are listed and
 * loaded. A function creates an agent for each session from what the editor offers: its folder, its MCP servers, its
 * files and its terminal. That agent is closed with the session. All agents have one name and one store. Rejects with a
 * `UsageError` `package_missing` without the package `@agentclientprotocol/sdk`.
 *
 * @example
 * const { closed } = await serveAcp((editor) =>
 *   createAgent({ name: 'coder', model, store, tools: [...fileTools({ root: editor.cwd, texts: editor.texts }), ...editor.servers] }),
 * )
 * await closed
 */
export async function serveAcp(agent: Agent | AgentMaker, options: ServeAcpOptions = {}): Promise<AcpService> {
  const make = typeof agent === 'function' ? agent : () => agent
  checkOptions('serveAcp', options, {
    input: checkedElsewhere,
    output: checkedElsewhere,
    programs: optional(listOf(text)),
  })
  const base = await make(offerOf(process.cwd()))
  having('an agent, as createAgent gives it', 'start', 'load', 'session')(base, { field: 'agent', owner: 'serveAcp' })
  if (typeof agent === 'function' && base.store === undefined) {
    throw new UsageError('bad_option', 'The agent of an editor has no store. Give all of them one, as option store.')
  }
  const { input = process.stdin, output = process.stdout, programs = [] } = options
  const sdk = await loadAcp()
  const editor = editorApp(base, make, programs, sdk)
  const written = Writable.toWeb(output)
  const connection = editor.app.connect(sdk.ndJsonStream(written, inputFrom(input), { maxMessageBytes }))
  const closed = connection.closed
    .catch(() => undefined)
    .then(() => editor.leave())
    .then(() => (base === agent ? undefined : base.close()))
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
