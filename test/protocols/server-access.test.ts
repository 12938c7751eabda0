import { expect, test } from 'vitest'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
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
