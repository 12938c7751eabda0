import { expect, test } from 'vitest'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { recordSessions } from '../../../src/adapters/recorder/index.ts'

test('SES-01 records a session as its runs define it: agent id, configuration, reruns and branches with their tags', async () => {
  const { agent, store } = testAgent({ id: 'desk', configId: 'v1', replies: ['One', 'Two'] })
  const session = agent.session('talk', { metadata: { page: { number: 3 } } })
  await (await session.prompt('Hi')).settled()
  await (await session.rerun({ tag: 'again' })).settled()
  await (await session.branch({ tag: 'other', prompt: 'Else' })).settled()
  const [found] = await recordSessions(store)
  expect(found).toMatchObject({ id: 'talk', agentId: 'desk', formation: { kind: 'explicit' } })
  const told = found?.runs.map(({ id, parentRunId, continuation, configuration, metadata }) => ({
    id,
    parentRunId,
    continuation,
    configId: configuration?.configId,
    metadata,
  }))
  const shared = { configId: 'v1', metadata: { page: { number: 3 } } }
  expect(told).toEqual([
    { ...shared, id: 'talk.v1.1', parentRunId: undefined, continuation: undefined },
    { ...shared, id: 'talk.v1.2', parentRunId: 'talk.v1.1', continuation: { kind: 'rerun', tag: 'again' } },
    { ...shared, id: 'talk.v1.3', parentRunId: 'talk.v1.2', continuation: { kind: 'branch', tag: 'other' } },
  ])
})
