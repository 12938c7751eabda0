import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'
import { type Agent, type AgentOptions, createAgent, type Run, tool } from '../../src/index.ts'
import { nodeListener } from '../../src/servers/http/server-node.ts'
import type { Handlers } from '../../src/servers/http/server.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'

/** An agent that sends mail, if somebody lets it, and asks the page where somebody is. */
export function mailer(replies: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) {
  const sent: string[] = []
  const send = tool({
    name: 'send',
    description: 'Sends.',
    input: z.object({ to: z.string() }),
    needs: 'approval',
    execute: ({ to }) => `Sent to ${sent[sent.push(to) - 1]}.`,
  })
  const look = tool({
    name: 'look_up',
    description: 'Looks an address up.',
    input: z.object({ name: z.string() }),
    execute: ({ name }) => `${name}@example.org`,
  })
  const place = tool({
    name: 'place',
    description: 'Asks the page where its user is.',
    input: z.object({}),
    effects: 'none',
    execute: (_, ctx) => ctx.suspend({ reason: 'service', message: 'Where are you?' }),
  })
  const model = scripted(replies)
  const agent = createAgent({ name: 'mailer', model, tools: [send, look, place], ...options })
  onTestFinished(() => agent.close())
  return { agent, sent }
}

/** A store in a file, for a test that needs another process; `approve` is done by one. */
export async function sharedFile() {
  const path = join(await temporaryFolder(), 'runs.db')
  const store = sqliteStore(path)
  onTestFinished(() => store.close())
  const script = new URL('processes/approve.ts', import.meta.url).pathname
  const approve = (runId: string) => promisify(execFile)(process.execPath, [script, path, runId])
  return { store, approve }
}

/** Serves handlers on loopback for one test; gives the origin. */
export async function listening(handlers: Pick<Handlers, 'fetch'>): Promise<string> {
  const server = createServer(nodeListener(handlers))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The run of a session that began last. */
export async function lastRun(agent: Agent, sessionId: string): Promise<Run> {
  return agent.load((await agent.session(sessionId).state())?.lastRun ?? '')
}
