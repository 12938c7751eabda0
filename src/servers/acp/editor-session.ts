import { join } from 'node:path'
import type { AgentContext, ClientCapabilities } from '@agentclientprotocol/sdk'
import type { TextFiles } from '../../adapters/tools/files.ts'
import type { Sandbox, SandboxEnd } from '../../adapters/tools/shell.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { UsageError } from '../../index.ts'
import type { EditorChoice, EditorSession } from './editor.ts'
import { editorServers, type ServerParts } from './editor-servers.ts'

/** The known facts of an editor's session. */
export interface EditorParts extends ServerParts {
  readonly client: AgentContext
  readonly sessionId: string
  readonly capabilities: ClientCapabilities
  /** The chosen values, by the id of their choice. */
  readonly chosen: ReadonlyMap<string, string>
}

/** An editor's offer to one agent, with what the agent has used of it. */
export interface Offer extends EditorSession {
  readonly choices: readonly EditorChoice[]
  /** A note for the person about the parts that were left out. */
  readonly leftOut: readonly string[]
}

/** Returns the offer of an editor, or an empty offer without a session. */
export function offerOf(cwd: string, parts?: EditorParts): Offer {
  const choices: EditorChoice[] = []
  const { fs, terminal = false } = parts?.capabilities ?? {}
  const isFiles = fs?.readTextFile === true && fs.writeTextFile === true
  const known = parts === undefined ? { toolsets: [], leftOut: [] } : editorServers(parts)
  let isUsed = (parts?.servers.length ?? 0) === 0
  return {
    cwd,
    choices,
    get servers() {
      isUsed = true
      return known.toolsets
    },
    get leftOut() {
      return isUsed ? known.leftOut : ['This agent does not use the MCP servers of the editor.']
    },
    ...(parts !== undefined && isFiles ? { texts: textsOf(parts) } : {}),
    ...(parts !== undefined && terminal ? { terminal: terminalOf(parts) } : {}),
    choose(choice) {
      const values = Object.keys(choice.values)
      const [first] = values
      if (first === undefined || choices.some(({ id }) => id === choice.id)) {
        const wish = 'Give each choice a unique id and at least one value.'
        throw new UsageError('bad_option', `The choice ${JSON.stringify(choice.id)} is refused. ${wish}`)
      }
      choices.push(choice)
      const chosen = parts?.chosen.get(choice.id) ?? first
      return values.includes(chosen) ? chosen : first
    },
  }
}

function textsOf({ client, sessionId }: EditorParts): TextFiles {
  return {
    async read(path, cancellationSignal) {
      const { content } = await client.request('fs/read_text_file', { sessionId, path }, { cancellationSignal })
      return content
    },
    async write(path, content, cancellationSignal) {
      await client.request('fs/write_text_file', { sessionId, path, content }, { cancellationSignal })
    },
  }
}

/** The bytes of a command's output that are kept. */
const outputByteLimit = 262_144

function terminalOf({ client, sessionId }: EditorParts): Sandbox {
  return {
    name: 'terminal of the editor',
    isBoundary: false,
    check: async () => undefined,
    wrap: () => {
      throw new Error('The terminal of the editor starts no processes here.')
    },
    async run({ command, root, folder, environment }, { callId, signal }): Promise<SandboxEnd> {
      signal.throwIfAborted()
      const env = Object.entries(environment).map(([name, value]) => ({ name, value }))
      const wanted = { command: 'bash', args: ['-c', command], cwd: join(root, folder), env, outputByteLimit }
      const terminal = await client.createTerminal({ sessionId, ...wanted })
      const kill = () => void terminal.kill().catch(() => undefined)
      signal.addEventListener('abort', kill, { once: true })
      try {
        if (signal.aborted) kill()
        const content = [{ type: 'terminal' as const, terminalId: terminal.id }]
        const update = { sessionUpdate: 'tool_call_update' as const, toolCallId: callId, content }
        await client.notify('session/update', { sessionId, update })
        const { exitCode, signal: ended } = await terminal.waitForExit()
        const { output, truncated } = await terminal.currentOutput()
        return { output, isCut: truncated, exitCode: exitCode ?? null, signal: ended ?? null }
      } catch (error) {
        throw new Error(`The terminal of the editor failed: ${thrownText(error)}`, { cause: error })
      } finally {
        signal.removeEventListener('abort', kill)
        await terminal.release().catch(() => undefined)
      }
    },
  }
}
