import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { noHead } from '../../../../src/adapters/stores/replicated/journal.ts'
import { restateStore } from '../../../../src/adapters/hosts/restate/index.ts'
import { newRun, ownerNamed } from '../../../../src/testing/stores/store-suite-fixtures.ts'

/** An ingress on loopback that answers with a status, another one to writes, and a text; and what it was asked. */
async function ingressThat(status: number, text: string, ofWrites = status) {
  const asked: string[] = []
  const server: Server = createServer(({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(url.endsWith('/append') ? ofWrites : status).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const nobody = 'http://127.0.0.1:1'
const empty = JSON.stringify({ head: noHead, isWhole: false, texts: [], left: 0 })

test('SCALE-02 a node of a cluster that does not answer is left for the next one, which is asked from then on', async () => {
  const { url, asked } = await ingressThat(200, empty)
  const store = restateStore({ ingress: [nobody, `${url}/`], object: 'order-17' })
  expect(await store.list()).toEqual([])
  expect(await store.list()).toEqual([])
  expect(asked).toEqual(['/Runs/order-17/read', '/Runs/order-17/read'])
  await store.close()
})

test.each([
  ['an answer that is no journal', 200, '{"head":"none"}', 'answered without a journal'],
  ['a service that is not deployed', 404, 'service not found', 'answered 404: service not found'],
  ['credentials that a proxy refuses', 401, 'who?', 'answered 401: who?'],
])(
  'SCALE-02 %s is store_unavailable with the address and advice, and is not asked again',
  async (_, status, text, told) => {
    const { url, asked } = await ingressThat(status, text)
    const store = restateStore({ ingress: url, object: 'one' })
    const message = `The ingress ${url} ${told} (object "one"). Is the server up, and is "Runs" deployed there? What was stored stays.`
    await expect(store.list()).rejects.toMatchObject({ code: 'store_unavailable', message })
    expect(asked).toHaveLength(1)
    await store.close()
  },
)

test('SCALE-02 a write that a server does not take is refused, and is not stored', async () => {
  const { url } = await ingressThat(200, empty, 413)
  const store = restateStore({ ingress: url, object: 'one' })
  const refused = { code: 'store_unavailable', message: expect.stringContaining('answered 413: ') }
  await expect(store.create(newRun('run'), ownerNamed('owner'), 1000)).rejects.toMatchObject(refused)
  expect(await store.list()).toEqual([])
})

test('SCALE-02 an ingress that redirects sends neither headers nor content anywhere else', async () => {
  const elsewhere = await ingressThat(200, empty)
  const server = createServer((_, response) => response.writeHead(307, { location: elsewhere.url }).end('moved'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const store = restateStore({ ingress: `http://127.0.0.1:${port}`, object: 'one', headers: () => ({ 'x-key': 'k' }) })
  const refused = { code: 'store_unavailable', message: expect.stringContaining('answered 307: moved') }
  await expect(store.list()).rejects.toMatchObject(refused)
  expect(elsewhere.asked).toEqual([])
  await store.close()
})

test.each([
  [{ ingress: [], object: 'one' }, 'ingress'],
  [{ ingress: 'localhost:8080', object: 'one' }, 'ingress'],
  [{ ingress: [nobody, 'ftp://127.0.0.1'], object: 'one' }, 'ingress'],
  [{ ingress: nobody, object: '' }, 'object'],
  [{ ingress: nobody, object: 'a/b' }, 'object'],
  [{ ingress: nobody, object: 'a'.repeat(1_000_000) }, 'object'],
  [{ ingress: nobody, object: 'one', service: 'a'.repeat(1_000_000) }, 'service'],
])('SCALE-02 the options of a store are checked before anything is asked: %#', (options, option) => {
  let said = ''
  try {
    restateStore(options)
  } catch (error) {
    said = error instanceof Error ? error.message : ''
  }
  expect(said).toContain(option)
  expect(said.length).toBeLessThan(1000)
})
