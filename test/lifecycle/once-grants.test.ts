import { describe, expect, test } from 'vitest'
import { useGrant } from '../../src/core/domain/granted.ts'
import { listAudit, listGrants } from '../../src/core/driving/list-grants.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { acting } from './acting-agent.ts'

describe('PERM-05 once', () => {
  test('PERM-05 an approval for once is used up by its call', async () => {
    const { agent, done } = acting([{ n: 1 }, { n: 1 }])
    const run = agent.start('Hi', { userId: 'ann' })
    await run.settled()
    await run.approve(undefined, { scope: 'once' })
    expect(await run.settled()).toMatchObject({ status: 'waiting' })
    expect(done).toEqual(['act {"n":1}'])
    expect(await agent.grants()).toEqual([])
    expect((await agent.audit()).map(({ action, callId }) => [action, callId])).toEqual([
      ['used', '1.c0'],
      ['approved', '1.c0'],
    ])
  })

  test('PERM-05 an approval for once whose call never started allows one call with the same arguments', async () => {
    const { agent, done } = acting([{ n: 1 }])
    const first = agent.start('Hi', { userId: 'ann', runId: 'first' })
    await first.settled()
    await first.detach()
    await first.approve(undefined, { scope: 'once' })
    await first.cancel()
    await first.settled()
    expect(done).toEqual([])
    expect(await agent.grants()).toMatchObject([{ scope: 'once', runId: 'first' }])
    const runs = await Promise.all([1, 2].map(() => agent.run('Hi', { userId: 'ann' })))
    expect(runs.map(({ status }) => status).toSorted()).toEqual(['done', 'waiting'])
    expect(done).toEqual(['act {"n":1}'])
    expect(await agent.run('Hi', { userId: 'ann' })).toMatchObject({ status: 'waiting' })
  })

  test('PERM-05 asks again about an approval for once that is revoked before its call starts', async () => {
    const { agent, done } = acting([{ n: 1 }])
    const run = agent.start('Hi')
    await run.settled()
    await run.approve(undefined, { scope: 'once' })
    const [grant] = await agent.grants()
    await agent.revoke(grant?.id ?? '')
    const events: string[] = []
    run.on((event) => event.type === 'decision.dropped' && events.push(event.message))
    const { suspended } = await run.settled()
    expect(suspended).toMatchObject([{ suspension: { reason: 'approval' } }])
    expect(events).toEqual([expect.stringContaining('was revoked, or used by an equal call')])
    expect(done).toEqual([])
    await run.approve()
    expect(await run.settled()).toMatchObject({ status: 'done' })
  })

  test('PERM-05 CKP-03 a crash between approval and start uses the approval once', async () => {
    const store = memoryStore()
    const { agent, clock } = acting([{ n: 1 }], { store })
    const run = agent.start('Hi', { runId: 'r', userId: 'ann' })
    await run.settled()
    await run.approve(undefined, { scope: 'once' })
    const [grant] = await listGrants(store)
    // A driver that was stopped right behind the use of the grant.
    const entry = { action: 'used' as const, runId: 'r', callId: '1.c0', toolName: 'act', grantId: grant?.id ?? '' }
    expect(await store.change(useGrant(grant?.id ?? '', entry, clock.now()))).toBe(true)
    const next = acting([{ n: 1 }], { store, clock, process: 'p2' })
    expect(await (await next.agent.load('r')).settled()).toMatchObject({ status: 'done' })
    expect(next.done).toEqual(['act {"n":1}'])
    expect((await listAudit(store)).map(({ action }) => action)).toEqual(['used', 'approved'])
  })

  test('PERM-05 CKP-08 a fork inherits neither grants for once nor grants for the run', async () => {
    const { agent, done } = acting([{ n: 1 }, { n: 2 }])
    const run = agent.start('Hi', { runId: 'r' })
    await run.settled()
    const from = (await run.history()).at(-1)?.version ?? 0
    await run.approve(undefined, { scope: 'run' })
    expect(await (await agent.fork('r', { from })).settled()).toMatchObject({ status: 'waiting' })
    expect(done).toEqual([])
  })
})

test('PERM-05 the audit lists who decided what, when, about which arguments and by which rule, and which calls ran because of it', async () => {
  const { agent, clock } = acting([{ n: 1, secret: 's' }, { n: 2 }], {
    permissions: { rules: { ask: ['act(n ~ "*")'] } },
    plugins: [
      {
        name: 'redactor',
        onToolValue: ({ kind, value }) =>
          kind === 'question' ? { ...value, parameters: { ...Object(value.parameters), secret: '[gone]' } } : value,
      },
    ],
  })
  const run = agent.start('Hi', { runId: 'r' })
  await run.settled()
  await run.approve(undefined, { scope: 'run', by: 'ann', reason: 'fine' })
  await run.settled()
  const [used, approved, ...others] = await agent.audit({ runId: 'r' })
  expect(others).toEqual([])
  const [grantId, rule] = [approved?.grantId, 'act(n ~ "*")']
  expect(approved).toEqual({
    id: approved?.id,
    at: clock.now(),
    agent: 'test',
    action: 'approved',
    by: 'ann',
    runId: 'r',
    callId: '1.c0',
    toolName: 'act',
    argumentsHash: approved?.argumentsHash,
    arguments: { n: 1, secret: '[gone]' },
    scope: 'run',
    rule,
    reason: 'fine',
    grantId,
    decisionId: approved?.decisionId,
  })
  expect(approved?.argumentsHash).toMatch(/^[0-9a-f]{32}$/)
  expect(used).toMatchObject({ action: 'used', callId: '2.c1', by: 'ann', grantId, rule, scope: 'run' })
  expect(used?.arguments).toEqual({ n: 2, secret: '[gone]' })
})

test('PERM-05 a decision without a scope grants nothing, and is listed in the audit', async () => {
  const { agent } = acting([{ n: 1 }, { n: 1 }])
  const run = agent.start('Hi')
  await run.settled()
  await run.approve()
  await run.settled()
  await run.deny(undefined, { reason: 'No.' })
  await run.settled()
  expect(await agent.grants()).toEqual([])
  expect((await agent.audit()).map(({ action, reason }) => [action, reason])).toEqual([
    ['denied', 'No.'],
    ['approved', undefined],
  ])
})
