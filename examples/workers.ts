import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent, type Store, tool } from '../src/index.ts'
import { createWorker } from '../src/core/workers/worker.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'

/** Returns the same agent for the web server and for the workers, which are separate processes. */
function clerk(store: Store, journal: string) {
  const refund = tool({
    name: 'refund',
    description: 'Refunds an order.',
    input: { type: 'object' },
    needs: 'approval',
    execute: async (_, { runId }) => {
      appendFileSync(journal, `${runId} ${process.pid}\n`)
      return 'Refunded.'
    },
  })
  const asks = { toolCalls: [{ id: 'c1', name: 'refund', arguments: {} }] }
  const model = scripted([asks, 'You have your money back.'])
  return createAgent({ name: 'clerk', model, tools: [refund], store })
}

const [folder] = process.argv.slice(2)
await (folder === undefined ? serve(mkdtempSync(join(tmpdir(), 'workers-'))) : work(folder))

/** The process of a worker: it drives runs that nobody else drives, until SIGTERM drains it. */
async function work(place: string): Promise<void> {
  const store = sqliteStore(join(place, 'runs.db'), { pollMs: 100 })
  const worker = createWorker({ agents: [clerk(store, join(place, 'journal'))], concurrency: 2 })
  worker.drainOn('SIGTERM')
  console.log('ready')
  await worker.ended
  await store.close()
}

/** The process of the server: it stores runs and drives none, so it answers at once and may restart at any time. */
async function serve(place: string): Promise<void> {
  const store = sqliteStore(join(place, 'runs.db'), { pollMs: 100 })
  const agent = clerk(store, join(place, 'journal'))
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
    // The stored events end when the run rests, regardless of the process that drove it.
    if (action === 'rest') for await (const _ of run.events({ deltas: false })) continue
    const { status, text } = await run.result()
    return response.end(JSON.stringify({ status, text }))
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const workers = await Promise.all([startWorker(place), startWorker(place)])
  try {
    await refundSix(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, join(place, 'journal'))
  } finally {
    const codes = await Promise.all(workers.map(drained))
    assert.deepEqual(codes, [0, 0])
    server.close()
    await store.close()
    rmSync(place, { recursive: true })
  }
}

/** The client of the server. */
async function refundSix(address: string, journal: string): Promise<void> {
  const standing = async (path: string): Promise<unknown> => (await fetch(`${address}/${path}`)).json()
  const ids = await Promise.all(
    Array.from({ length: 6 }, async (_, order) => {
      const stored = await fetch(`${address}/`, { method: 'POST', body: `Refund order ${order}.` })
      return stored.text()
    }),
  )
  for (const id of ids) {
    assert.deepEqual(await standing(`${id}/rest`), { status: 'waiting', text: '' })
    await standing(`${id}/approve`)
  }
  for (const id of ids) {
    assert.deepEqual(await standing(`${id}/rest`), { status: 'done', text: 'You have your money back.' })
  }
  const refunded = readFileSync(journal, 'utf8').trim().split('\n')
  const runs: readonly string[] = refunded.map((line) => line.slice(0, line.indexOf(' ')))
  assert.deepEqual(runs.toSorted(), ids.toSorted())
  console.log(`${ids.length} refunds asked for over HTTP, approved, and made once each by 2 worker processes`)
}

async function startWorker(place: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [import.meta.filename, place], { stdio: ['ignore', 'pipe', 'inherit'] })
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  return child
}

async function drained(child: ChildProcess): Promise<number | null> {
  child.kill('SIGTERM')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return body
}
