import { expect, test } from 'vitest'
import { heldReply, runId, testAgent } from '../../proof/support/test-agent.ts'
import { createHandlers } from '../../src/protocols/server.ts'

const codeOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

test.for([
  [{ id: 'a user of the application' }],
  [{ filter: {} }],
  [{ filter: undefined }],
  [{ filter: { subject: undefined } }],
  [{ filter: { subject: 'a', labels: { owner: undefined } } }],
  [{ filter: { owner: 'anna' } }],
  [{ by: undefined }],
  [['anna']],
] as const)('SRV-01 authorize that answers %j lets nothing be read or done', async ([answer]) => {
  const { agent } = testAgent({ replies: ['Hello.'] })
  await agent.run('Go', { runId })
  const { fetch } = createHandlers(agent, { authorize: () => answer as never })
  const refused = [500, 'bad_access']
  expect(await codeOf(await fetch(new Request('http://localhost/runs')))).toEqual(refused)
  expect(await codeOf(await fetch(new Request(`http://localhost/runs/${runId}`)))).toEqual(refused)
  const headers = { 'content-type': 'application/json' }
  const start = { method: 'POST', headers, body: JSON.stringify({ prompt: 'Go', runId: 'new' }) }
  expect(await codeOf(await fetch(new Request('http://localhost/runs', start)))).toEqual(refused)
  await expect(agent.load('new')).rejects.toMatchObject({ code: 'run_unknown' })
})

test('SRV-01 a token that has expired reads on in no stream and writes nothing, and the run goes on', async () => {
  const held = heldReply()
  const { agent } = testAgent({ replies: [held.reply], events: 'stored' })
  const valid = new Set(['t1'])
  const authorize = (request: Request) =>
    valid.has(request.headers.get('authorization') ?? '') || new Response('Sign in again.', { status: 401 })
  const { fetch } = createHandlers(agent, { authorize })
  const ask = (method: string, path: string) =>
    fetch(new Request(`http://localhost/runs/${runId}${path}`, { method, headers: { authorization: 't1' } }))
  const run = agent.start('Go', { runId })
  await held.asked
  const stream = await ask('GET', '/events')
  expect(stream.status).toBe(200)
  valid.clear()
  const refused = [await ask('GET', '/events'), await ask('POST', '/cancel'), await ask('GET', '')]
  expect(refused.map(({ status }) => status)).toEqual([401, 401, 401])
  await stream.body?.cancel()
  held.give('Said.')
  expect((await run.settled()).text).toBe('Said.')
})
