import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import * as acp from '@agentclientprotocol/sdk'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

const main = fileURLToPath(new URL('../../../src/apps/cli/main.ts', import.meta.url))
const agents = fileURLToPath(new URL('../processes/edited-folder.ts', import.meta.url))

export const delivering = [{ toolCalls: [{ id: 'c', name: 'deliver', arguments: { to: 'Ann' } }] }, 'It is there.']

/** A folder with a store, and the effects of the agent. */
export async function place() {
  const folder = await temporaryFolder()
  const file = join(folder, 'deliveries.txt')
  writeFileSync(file, '')
  return { folder, store: join(folder, 'runs.db'), file, deliveries: () => readFileSync(file, 'utf8') }
}

type Place = Awaited<ReturnType<typeof place>>
type Asked = acp.RequestPermissionRequest
type Answering = (asked: Asked, signal: AbortSignal) => Promise<acp.RequestPermissionResponse>

/** Starts `statewright acp` as an editor does, with the official client. */
export async function editor(
  { folder, store, file }: Place,
  script: unknown,
  permission: Answering,
  elicit?: (asked: acp.CreateElicitationRequest) => acp.CreateElicitationResponse,
  served: readonly string[] = [agents, '--agent', 'courier'],
) {
  const child = spawn(process.execPath, [main, 'acp', '--store', store, '--agents', ...served], {
    cwd: folder,
    env: { ...process.env, SCRIPT: JSON.stringify(script), DELIVERIES: file },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const updates: acp.SessionUpdate[] = []
  const connection = acp
    .client({ name: 'editor' })
    .onRequest('session/request_permission', ({ params, signal }) => permission(params, signal))
    .onRequest('elicitation/create', ({ params }) => elicit?.(params) ?? { action: 'cancel' })
    .onNotification('session/update', ({ params }) => void updates.push(params.update))
    .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>))
  const agent = connection.agent
  const clientCapabilities: acp.ClientCapabilities = elicit === undefined ? {} : { elicitation: { form: {} } }
  const about = await agent.request('initialize', { protocolVersion: 1, clientCapabilities })
  /** The updates so far. The client resolves a response before it has handled earlier updates, but not after a round trip. */
  const shown = async () => {
    await agent.request('session/list', {})
    return updates
  }
  return { agent, about, shown, child, ended }
}

export const said = (text: string) => [{ type: 'text' as const, text }]

export const choose = (optionId: string): acp.RequestPermissionResponse => ({
  outcome: { outcome: 'selected', optionId },
})

/** The text that the editor shows of the agent's answers. */
export function textIn(updates: readonly acp.SessionUpdate[]): string {
  return updates
    .map((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '',
    )
    .join('')
}
