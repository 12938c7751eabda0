import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { createHandlers } from '../../../src/servers/http/server.ts'
import type { ServerOptions } from '../../../src/apps/react/index.ts'
import { SuspendedReader } from '../../../src/apps/react/suspended-list.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { listening, mailer } from '../../servers/mailer.ts'

const asks = { text: 'I will.', toolCalls: [{ id: 'c', name: 'send', arguments: { to: 'Ada' } }] }
/** Practically never: the test reads only notifications. */
const never = 500_000

function reading(server: ServerOptions, everyMs = never) {
  const reader = new SuspendedReader(server, everyMs)
  onTestFinished(reader.subscribe(() => undefined))
  return () => reader.current().runs.map(({ record }) => record.id)
}

test("SRV-01 a page's list shows a new question at once, and removes an answered one", async () => {
  const { agent } = mailer([asks, 'Done.'])
  const url = await listening(createHandlers(agent, { authorize: () => true }))
  const ids = reading({ url })
  const run = agent.start('Bill Ada.', { runId: 'bill' })
  await expect.poll(ids).toEqual(['bill'])
  await run.approve()
  await (await agent.resume('bill')).run.settled()
  await expect.poll(ids).toEqual([])
})

test("SRV-01 a page's list shows a question from another process at once", async () => {
  const path = join(await temporaryFolder(), 'runs.db')
  const [store, other] = [sqliteStore(path), sqliteStore(path)]
  onTestFinished(async () => void (await Promise.all([store.close(), other.close()])))
  const { agent } = mailer([], { store })
  const url = await listening(createHandlers(agent, { authorize: () => true, drive: false }))
  const ids = reading({ url })
  await mailer([asks], { store: other }).agent.run('Bill Ada.', { runId: 'bill' })
  await expect.poll(ids).toEqual(['bill'])
})

test('SRV-01 polls the list if the server cannot report changes', async () => {
  const { agent } = mailer([asks])
  const url = await listening(createHandlers(agent, { authorize: () => true }))
  const asked: string[] = []
  const ids = reading(
    {
      url,
      fetch: async (input, init) => {
        const path = new URL(input instanceof Request ? input.url : input).pathname
        asked.push(path)
        return path.endsWith('/events') ? new Response('{}', { status: 404 }) : fetch(input, init)
      },
    },
    20,
  )
  await agent.run('Bill Ada.', { runId: 'bill' })
  await expect.poll(ids).toEqual(['bill'])
  expect(asked.filter((path) => path.endsWith('/events'))).toHaveLength(1)
})

test('SRV-01 one signal of a hundred changes waits for a page that does not read, and none after it is gone', async () => {
  const { agent } = mailer([({ messages }) => `${messages.length}`])
  const told = new Set<unknown>()
  const on = agent.on.bind(agent)
  agent.on = (listener) => {
    told.add(listener)
    const stop = on(listener)
    return () => {
      told.delete(listener)
      stop()
    }
  }
  const { fetch } = createHandlers(agent, { authorize: () => true })
  const response = await fetch(new Request('http://localhost/suspended/events'))
  for (let count = 0; count < 100; count++) await agent.run('Hi')
  expect(told.size).toBe(1)
  const reader = response.body?.getReader()
  const signs = [await reader?.read(), await reader?.read()].map((read) => new TextDecoder().decode(read?.value))
  expect(signs).toEqual(['data: {}\n\n', 'data: {}\n\n'])
  await reader?.cancel()
  expect(told.size).toBe(0)
})
