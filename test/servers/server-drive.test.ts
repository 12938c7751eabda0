import { expect, test } from 'vitest'
import { quiet, runId, testAgent } from '../../proof/support/test-agent.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { createHandlers } from '../../src/servers/http/server.ts'

test('SRV-01 a server in front of workers stores requests and drives no run', async () => {
  const store = memoryStore()
  const page = testAgent({ store, replies: ['Never.'] })
  const { agent: worker } = testAgent({
    store,
    replies: ['Hello.', 'Shorter.', 'Again.'],
    process: 'p2',
  })
  const { fetch } = createHandlers(page.agent, { authorize: () => true, drive: false })
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await fetch(request)).json()
  }
  expect(await post('/runs', { prompt: 'Hi', runId })).toEqual({ runId, status: 'running' })
  expect(await post(`/runs/${runId}/steer`, { prompt: 'Be short.' })).toMatchObject({
    drive: 'elsewhere',
    receipt: { answer: 'applied' },
  })
  await quiet()
  expect(page.prompts).toEqual([])
  await (await worker.load(runId)).settled()
  expect(await post(`/runs/${runId}/prompt`, { prompt: 'And?', runId: 'next' })).toMatchObject({ runId: 'next' })
  await quiet()
  expect(page.prompts).toEqual([])
  expect((await (await worker.load('next')).settled()).text).toBe('Again.')
})
