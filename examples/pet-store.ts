import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAgent } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { memoryStore } from '../src/core/stores/memory/memory-store.ts'
import { openApiToolset } from '../src/adapters/tools/openapi.ts'

const petId = { name: 'petId', in: 'path', required: true, schema: { type: 'integer' } }

/** The shop's OpenAPI document; a file or an address would work too. */
const document = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Pet store', version: '1.0.0' },
  paths: {
    '/pets/{petId}': {
      get: { operationId: 'showPet', summary: 'Shows a pet.', parameters: [petId] },
      delete: { operationId: 'sellPet', summary: 'Sells a pet.', parameters: [petId] },
    },
  },
})

const pets = new Map([[7, 'Rex']])
const token = 'open-sesame'

const shop = createServer((request, response) => {
  const id = Number(request.url?.split('/').at(-1))
  const isKnown = request.headers.authorization === `Bearer ${token}`
  const name = pets.get(id)
  if (!isKnown || name === undefined) return response.writeHead(isKnown ? 404 : 401).end('{}')
  if (request.method === 'DELETE') pets.delete(id)
  return response.setHeader('content-type', 'application/json').end(JSON.stringify({ id, name }))
})
await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
const baseUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`

const store = memoryStore()
const call = (name: string) => ({ toolCalls: [{ name, arguments: { petId: 7 } }] })

/** Returns the same agent in every process; leaving the block closes its toolset. */
function clerk() {
  const petStore = openApiToolset({
    name: 'pet store',
    source: { text: document },
    baseUrl,
    auth: { bearer: token },
    rules: { sellPet: { needs: 'approval' } },
  })
  const model = scripted([call('showPet'), call('sellPet'), 'Rex is sold.'])
  return createAgent({ name: 'clerk', model, tools: [petStore], store })
}

try {
  {
    await using agent = clerk()
    const asked = await agent.run('Sell pet 7.', { runId: 'sale' })
    assert.deepEqual([asked.status, pets.size], ['waiting', 1])
    console.log(
      `waiting: ${asked.suspended.map(({ toolName }) => toolName).join()} needs an approval, Rex is still there`,
    )
  }
  {
    await using agent = clerk()
    const run = await agent.load('sale')
    await run.approve()
    const { status, text } = await run.settled()
    assert.deepEqual([status, pets.size], ['done', 0])
    console.log(`${status}: ${text}`)
  }
  const { log } = await store.read('sale')
  const stored = JSON.stringify(log)
  assert.ok(stored.includes(`GET ${baseUrl}/pets/7 → 200`) && stored.includes(`DELETE ${baseUrl}/pets/7 → 200`))
  assert.ok(!stored.includes(token))
  console.log('the token is nowhere in the stored run')
} finally {
  shop.closeAllConnections()
  shop.close()
}
