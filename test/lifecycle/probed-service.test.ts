import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { isWhole } from '../../proof/support/sampled.ts'
import { countedIds, stop } from '../../proof/support/test-agent.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { createAgent, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'

/** The number of runs. The command of the whole suite plays all of them. */
const runs = isWhole ? 1_000 : 20

/** A service in a process of its own: it books each request, and tells of each key how often it has. */
const service = `
  const booked = {}
  const server = require('node:http').createServer((request, response) => {
    const key = decodeURIComponent(request.url.slice(1))
    if (request.method === 'POST') booked[key] = (booked[key] ?? 0) + 1
    response.end(key === '' ? JSON.stringify(booked) : String(booked[key] ?? 0))
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

async function startService(): Promise<string> {
  const child = spawn(process.execPath, ['-e', service], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return `http://127.0.0.1:${port.toString().trim()}/`
}

test("TOOL-08 a probe settles kills before and after a service's effect by itself: nobody is asked, nothing is duplicated or lost", async () => {
  const address = await startService()
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const at = (key: string) => `${address}${encodeURIComponent(key)}`
  const agentOf = (process: string, dies?: 'before' | 'after', begun?: () => void) => {
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      execute: async (_, { idempotencyKey }) => {
        if (dies === 'after') await fetch(at(idempotencyKey), { method: 'POST' })
        if (dies !== undefined) {
          begun?.()
          return new Promise<never>(() => {})
        }
        await fetch(at(idempotencyKey), { method: 'POST' })
        return 'paid'
      },
      probe: async ({ idempotencyKey }) => {
        const count = Number(await (await fetch(at(idempotencyKey))).text())
        return count > 0 ? { status: 'done', result: 'paid' } : { status: 'notDone', runAgain: true }
      },
    })
    const model = scripted([{ toolCalls: [{ id: 'c1', name: 'pay', arguments: {} }] }, 'Done.'], { now: clock.now })
    return createAgent({ name: 'payer', model, tools: [pay], store, clock, ids: countedIds(process) })
  }
  for (let index = 0; index < runs; index++) {
    const begun = Promise.withResolvers<void>()
    const dying = agentOf(`d${index}`, index % 2 === 0 ? 'before' : 'after', begun.resolve)
    const run = dying.start('Pay.', { runId: `run-${index}` })
    const driving = run.settled()
    await begun.promise
    await stop(run, driving)
  }
  clock.advance(60_000)
  const found = agentOf('found')
  const ends: Record<string, number> = {}
  for (let index = 0; index < runs; index++) {
    const { status, suspended } = await (await found.load(`run-${index}`)).settled()
    const end = `${status}, ${suspended.length} questions`
    ends[end] = (ends[end] ?? 0) + 1
  }
  const booked = Object.values((await (await fetch(address)).json()) as Record<string, number>)
  expect(ends).toEqual({ 'done, 0 questions': runs })
  expect(booked).toEqual(Array.from({ length: runs }, () => 1))
})
