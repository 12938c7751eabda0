import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent, type Store, tool } from '../src/index.ts'
import { createWorker } from '../src/hosts/worker/worker.ts'
import { scripted } from '../src/providers/scripted.ts'
import { sqliteStore } from '../src/stores/sqlite/sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'workers-'))
const file = join(folder, 'runs.db')
const refunded: string[] = []

/** The same agent for the web server and for the workers, which in earnest are processes of their own. */
function clerk(store: Store) {
  const refund = tool({
    name: 'refund',
    description: 'Refunds an order.',
    input: { type: 'object' },
    needs: 'approval',
    execute: async (_, { runId }) => {
      refunded.push(runId)
      return 'Refunded.'
    },
  })
  const asks = { toolCalls: [{ id: 'c1', name: 'refund', arguments: {} }] }
  return createAgent({ name: 'clerk', model: scripted([asks, 'You have your money back.']), tools: [refund], store })
}

/** Stores what it is asked for and drives nothing, so that it answers at once, and may be restarted at any time. */
const store = sqliteStore(file)
const agent = clerk(store)
const server = createServer((request, response) => void answer(request, response))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const [, runId = '', action] = (request.url ?? '').split('/')
  if (request.method === 'POST' && runId === '') {
    const run = agent.start(await bodyOf(request), { drive: false })
    await run.result()
    return response.end(run.id)
  }
  const run = await agent.load(runId)
  if (action === 'approve') await run.approve()
  const { status, text } = await run.result()
  return response.end(JSON.stringify({ status, text }))
}

server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const stores = [sqliteStore(file, { pollMs: 100 }), sqliteStore(file, { pollMs: 150 })]
const workers = stores.map((own) => createWorker({ agents: [clerk(own)], concurrency: 4 }))
const rested = restsOf()

const ids = await Promise.all(
  Array.from({ length: 6 }, async (_, order) => {
    const stored = await fetch(`${address}/`, { method: 'POST', body: `Refund order ${order}.` })
    return stored.text()
  }),
)
for (const id of ids) {
  await rested(id, 'waiting')
  await fetch(`${address}/${id}/approve`)
}
for (const id of ids) {
  await rested(id, 'done')
  const standing = await (await fetch(`${address}/${id}`)).json()
  assert.deepEqual(standing, { status: 'done', text: 'You have your money back.' })
}
assert.deepEqual(refunded.toSorted(), ids.toSorted())
console.log(`${ids.length} refunds asked for over HTTP, approved, and made once each by ${workers.length} workers`)

await Promise.all(workers.map((worker) => worker.drain()))
server.close()
await Promise.all([store, ...stores].map((one) => one.close()))
rmSync(folder, { recursive: true })

/** Waits until a worker has brought a run to rest. */
function restsOf() {
  const seen = new Set<string>()
  const looks: (() => void)[] = []
  for (const worker of workers) {
    worker.on((event) => {
      if (event.type !== 'released') return
      seen.add(`${event.runId} ${event.status}`)
      for (const look of looks.splice(0)) look()
    })
  }
  return async (runId: string, status: string) => {
    while (!seen.has(`${runId} ${status}`)) await new Promise<void>((resolve) => looks.push(resolve))
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return body
}
