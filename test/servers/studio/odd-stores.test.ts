import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { heldReply } from '../../../proof/support/test-agent.ts'
import { createAgent, type Store, StoreError } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { readEvents } from '../../../src/core/driving/served-events.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'
import { clerk } from './clerk.ts'
import { askStudio, studioFor, tokenFor } from './open.ts'

/** The status of an answer, and its JSON. */
async function read(url: string) {
  const response = await askStudio(url)
  return [response.status, (await response.json()) as { code?: string; message?: string; runs?: Listed[] }] as const
}

interface Listed {
  readonly id: string
  readonly damaged?: string
  readonly status?: string
}

/** A store in a file that holds a whole run and one that is then changed by hand. */
async function changedBy(sql: string) {
  const folder = temporaryFolder()
  const path = folder.file('runs.db')
  const writer = sqliteStore(path)
  for (const runId of ['whole', 'broken']) await clerk(writer).run('Go', { runId })
  await writer.close()
  const database = new DatabaseSync(path)
  expect(database.prepare(sql).run().changes).toBeGreaterThan(0)
  database.close()
  const store = sqliteStore(path)
  onTestFinished(async () => {
    await store.close()
    folder[Symbol.dispose]()
  })
  const { url, token } = await studioFor({ store })
  return { url, token, path, store }
}

const broken = "(SELECT number FROM runs WHERE id = 'broken')"

test.each([
  ['row', "UPDATE runs SET status = 'odd' WHERE id = 'broken'"],
  ['log', `UPDATE log SET body = '{"cut' WHERE body IS NOT NULL AND id / ${2 ** 24} = ${broken}`],
])(
  "OBS-03 shows the other runs of a store that is damaged in the %s of one run, and names that run's damage",
  async (_, sql) => {
    const { url } = await changedBy(sql)
    const [status, { runs = [] }] = await read(`${url}api/runs`)
    expect([status, runs.map(({ id }) => id)]).toEqual([200, ['broken', 'whole']])
    expect((await read(`${url}api/runs/whole/summary`))[0]).toBe(200)
    const [refused, { code, message }] = await read(`${url}api/runs/broken/summary`)
    expect([refused, code]).toEqual([409, 'run_damaged'])
    expect(message).toContain('broken')
  },
)

test('OBS-03 omits a run whose row disappears while the list is made, and shows the others', async () => {
  const inner = memoryStore()
  await clerk(inner).run('Go', { runId: 'kept' })
  const late = createAgent({ name: 'late', model: scripted(['Hi.']), store: inner })
  await late.start('Go', { runId: 'gone', drive: false }).result()
  const store: Store = {
    ...inner,
    record: async (runId) => {
      throw new StoreError('run_unknown', `There is no run "${runId}".`)
    },
  }
  const { url } = await studioFor({ store })
  const [status, { runs = [] }] = await read(`${url}api/runs`)
  expect([status, runs.map(({ id }) => id)]).toEqual([200, ['kept']])
})

test('OBS-03 reports a store that another process has locked, with advice, and accepts the answer when it is free', async () => {
  const { url, token, path, store } = await changedBy('UPDATE runs SET agent = agent')
  const target = (await store.calls('whole')).find(({ record }) => record.status === 'suspended')?.record.callId
  const approve = async () => {
    const response = await fetch(`${url}api/runs/whole/decisions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ decisions: [{ target, action: 'resume' }] }),
    })
    return [response.status, await response.json()] as const
  }
  const holder = spawn(process.execPath, ['-e', holding, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  const [status, refused] = await approve()
  expect([status, refused]).toEqual([
    503,
    { code: 'store_busy', message: expect.stringMatching(/is locked by .* stayed so\. Try again, or end /) as string },
  ])
  expect((await read(`${url}api/runs/whole/summary`))[0]).toBe(200)
  holder.stdin.end()
  await once(holder, 'exit')
  expect(await approve()).toMatchObject([200, { receipts: [{ answer: 'applied' }] }])
})

/** Holds the lock of a store for writing until its input ends. */
const holding = `
  const database = new (require('node:sqlite').DatabaseSync)(process.argv[1])
  database.exec('BEGIN IMMEDIATE')
  process.stdout.write('held')
  process.stdin.resume().on('end', () => database.close())`

test('OBS-03 a hundred abandoned connections delay neither the run nor another page', async () => {
  const held = heldReply()
  const store = memoryStore()
  const agent = createAgent({ name: 'slow', model: scripted([held.reply]), store })
  const run = agent.start('Go')
  await held.asked
  const { url } = await studioFor({ store, agents: [agent] })
  const { hostname, port, host } = new URL(url)
  const path = `/api/runs/${run.id}/events?after=0`
  const dead = await Promise.all(
    Array.from(
      { length: 100 },
      () =>
        new Promise<{ destroy(): void }>((resolve, reject) => {
          const socket = connect(Number(port), hostname, () => {
            socket.write(
              `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${tokenFor(url).authorization}\r\n\r\n`,
            )
            socket.pause()
            resolve(socket)
          }).on('error', reject)
        }),
    ),
  )
  onTestFinished(() => {
    for (const socket of dead) socket.destroy()
  })
  held.give({ text: 'word '.repeat(2_000), chunks: 200 })
  expect((await run.settled()).status).toBe('done')
  expect(await (await askStudio(`${url}${path.slice(1)}`)).text()).toContain('"type":"run.ended"')
})

test('OBS-03 events reach the page however their bytes are split, including the last one', async () => {
  const event = (turn: number) => `id: ${turn}\ndata: ${JSON.stringify({ type: 'turn.started', turn, seq: turn })}\n`
  const pieces = [event(1), '\n', event(2).slice(0, 20), event(2).slice(20), '\n', event(3)]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(piece))
    },
  })
  const told: unknown[] = []
  for await (const events of readEvents(new Response(body)))
    told.push(...events.map((one) => 'turn' in one && one.turn))
  expect(told).toEqual([1, 2, 3])
})
