import { expect, test } from 'vitest'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { contract } from '../../../src/index.ts'
import { answerTo, type ServiceEvent } from '../../../src/core/services/index.ts'
import type { PermissionAnswers, PermissionManager } from '../../../src/core/ports/permissions.ts'
import type { ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { present } from './present.ts'
import { listOutgoing } from '../../../src/core/driving/list-outgoing.ts'

const request = contract({
  type: 'com.office.permission',
  version: '1.0.0',
  accepts: { type: 'object' },
  emits: { 'evt.office.permission.answered': { type: 'object', properties: { granted: { type: 'array' } } } },
})
const lodged = '[Critical] Tool blocked - permission required. Request lodged, please retry after approval.'

function office(answers: PermissionAnswers, replies: readonly ScriptedReply[], options: TestAgentOptions = {}) {
  const told: string[] = []
  const held = new Map(Object.entries(answers))
  const manager: PermissionManager = {
    get: (_, tools) => {
      told.push(`get ${tools.map(({ name }) => name).join(' ')}`)
      return Object.fromEntries(tools.map(({ name }) => [name, held.get(name) ?? 'denied']))
    },
    set: (_, { granted, denied }) => {
      told.push(`set +${granted.join(' ')} -${denied.join(' ')}`)
      for (const name of granted) held.set(name, 'approved')
      for (const name of denied) held.set(name, 'denied')
    },
    requestBuilder: (_, tools) => ({ please: tools.map(({ name }) => name) }),
    contract: request,
    domains: ['human.north', 'human.south'],
  }
  const { act, done } = toolbox()
  const store = memoryStore()
  const made = testAgent({
    ...{ store, clock: fakeClock(), replies, ...options },
    tools: [act('free'), act('write'), act('secret')],
    permissions: { policy: ({ tools }) => tools.filter((name) => name !== 'free'), manager },
  })
  const sent = async () => (await listOutgoing(store, { runId })).map(({ body }) => body as unknown as ServiceEvent)
  return { ...made, store, told, done, sent }
}

test('PERM-03 the whole sequence: blocked, requested by one event to each domain, answered, reported as text, retried, run', async () => {
  const { agent, told, done, sent, prompts } = office({ write: 'requestable', secret: 'denied' }, [
    calls(call('a', 'write'), call('b', 'secret'), call('c', 'free'), call('d', 'write')),
    calls(call('e', 'write')),
    'Written.',
  ])
  const { status, suspended } = await agent.run('Write', { runId, subject: 'talk-7' })
  expect(status).toBe('waiting')
  expect(told).toEqual(['get write secret'])
  expect(done).toEqual(['free {}'])
  const [north, south, ...others] = await sent()
  expect(others).toEqual([])
  expect([north?.domain, south?.domain]).toEqual(['human.north', 'human.south'])
  expect(north?.id).toBe(south?.id)
  expect(north?.id).toBe(suspended[0]?.callId)
  expect(north).toMatchObject({ type: 'com.office.permission', subject: 'talk-7', data: { please: ['write'] } })
  const asked = present(north)
  const type = 'evt.office.permission.answered'
  const answer = answerTo(asked, { source: '/boss', type, data: { granted: ['write'] } })
  expect(await agent.receive({ ...answer, data: { granted: ['secret'] } })).toMatchObject({ answer: 'refused' })
  expect(await agent.receive(answer)).toMatchObject({ answer: 'applied' })
  expect(await agent.receive(answer)).toMatchObject({ answer: 'duplicate' })
  const run = await agent.load(runId)
  expect(await run.settled()).toMatchObject({ status: 'done', text: 'Written.' })
  expect(told).toEqual(['get write secret', 'set +write -', 'get write'])
  expect(done).toEqual(['free {}', 'write {}'])
  const second = prompts[1]?.join('\n') ?? ''
  expect(second).toContain(lodged)
  expect(second).toContain("[Critical] You don't have the permission to call this tool")
  expect(second).toContain('Permission was granted for: write.')
  expect(await sent()).toHaveLength(2)
})

test('PERM-03 an error from the permission manager ends the run', async () => {
  const { agent, sent } = office({ write: 'requestable' }, [calls(call('a', 'write')), 'Never said.'])
  await agent.run('Write', { runId })
  const [asked] = await sent()
  const type = 'sys.com.office.permission.error'
  const event = answerTo(present(asked), {
    source: '/boss',
    type,
    data: { message: 'Closed.' },
  })
  expect(await agent.receive(event)).toMatchObject({ answer: 'applied' })
  const { outcome } = await (await agent.load(runId)).settled()
  expect(outcome).toMatchObject({
    reason: 'error',
    error: { message: '[Critical] Permission request failed: Closed.' },
  })
})

test('PERM-03 SVC-01 a service and a tool under policy in one turn: one event each, one completion, and no leftover grant', async () => {
  const review = contract({
    ...{ type: 'com.team.review', version: '1.0.0', accepts: { type: 'object' } },
    emits: { 'evt.team.review.done': { type: 'object' } },
  })
  const { agent, store, told, done, sent } = office(
    { write: 'requestable', secret: 'requestable' },
    [
      calls(call('a', 'com_team_review'), call('b', 'write'), call('c', 'secret')),
      calls(call('d', 'write')),
      'Written.',
    ],
    { services: [review] },
  )
  await agent.run('Write', { runId })
  const events = await sent()
  expect(events.map(({ type, domain }) => [type, domain])).toEqual([
    ['com.team.review', undefined],
    ['com.office.permission', 'human.north'],
    ['com.office.permission', 'human.south'],
  ])
  const answer = (index: number, type: string, data: object) =>
    agent.receive(answerTo(present(events[index]), { source: '/x', type, data: data as never }))
  expect(await answer(0, 'evt.team.review.done', { fine: true })).toMatchObject({ answer: 'applied' })
  const run = await agent.load(runId)
  expect(await run.settled()).toMatchObject({ status: 'waiting', turns: 1 })
  expect(await answer(1, 'evt.office.permission.answered', { granted: ['write'] })).toMatchObject({ answer: 'applied' })
  expect(await answer(2, 'evt.office.permission.answered', { granted: ['write'] })).toMatchObject({
    answer: 'duplicate',
  })
  expect(await run.settled()).toMatchObject({ status: 'done', text: 'Written.' })
  expect(told).toEqual(['get write secret', 'set +write -secret', 'get write'])
  expect(done).toEqual(['write {}'])
  expect(await sent()).toHaveLength(3)
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
})
