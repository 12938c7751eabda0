import { describe, expect, test } from 'vitest'
import { call, calls } from '../../proof/support/say.ts'
import { testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'
import type { Run } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { acting } from './acting-agent.ts'

async function askedAbout(run: Run): Promise<readonly unknown[]> {
  return (await run.settled()).suspended.map((suspended) => suspended.arguments)
}

describe('PERM-04', () => {
  test('PERM-04 PERM-05 a grant for the run is not asked about again, and applies to no other run', async () => {
    const { agent, done } = acting([{ n: 1 }, { n: 2 }])
    const run = agent.start('Hi')
    expect(await askedAbout(run)).toEqual([{ n: 1 }])
    expect(await run.approve(undefined, { scope: 'run', by: 'ann' })).toMatchObject({ answer: 'applied' })
    expect(await run.settled()).toMatchObject({ status: 'done' })
    expect(done).toEqual(['act {"n":1}', 'act {"n":2}'])
    expect(await agent.grants()).toEqual([])
    expect(await askedAbout(agent.start('Hi'))).toEqual([{ n: 1 }])
  })

  test('PERM-04 a grant for one run of a user applies to no other run of that user', async () => {
    const { agent, done } = acting([{ n: 1 }, { n: 2 }])
    const run = agent.start('Hi', { userId: 'ann' })
    await run.settled()
    await run.approve(undefined, { scope: 'run' })
    expect(await run.settled()).toMatchObject({ status: 'done' })
    expect(done).toHaveLength(2)
    expect(await askedAbout(agent.start('Hi', { userId: 'ann' }))).toEqual([{ n: 1 }])
  })

  test('PERM-04 a grant for always applies to all runs of its user, and of no other user', async () => {
    const { agent, done } = acting([{ n: 1 }, { n: 2 }])
    const run = agent.start('Hi', { userId: 'ann' })
    await run.settled()
    await run.approve(undefined, { scope: 'always' })
    await run.settled()
    expect(await agent.run('Hi', { userId: 'ann' })).toMatchObject({ status: 'done' })
    expect(done).toHaveLength(4)
    expect(await agent.run('Hi', { userId: 'bob' })).toMatchObject({ status: 'waiting' })
    expect(await agent.run('Hi')).toMatchObject({ status: 'waiting' })
    expect(await agent.grants()).toMatchObject([
      { grantee: 'user:ann', scope: 'always', toolName: 'act', says: 'allow' },
    ])
  })

  test('PERM-04 without a user a grant for always applies if the access control is the same', async () => {
    const { agent } = acting([{ n: 1 }])
    const run = agent.start('Hi', { accessControl: { team: 'north', may: ['act'] } })
    await run.settled()
    await run.approve(undefined, { scope: 'always' })
    await run.settled()
    expect(await agent.run('Hi', { accessControl: { may: ['act'], team: 'north' } })).toMatchObject({ status: 'done' })
    expect(await agent.run('Hi', { accessControl: { team: 'south' } })).toMatchObject({ status: 'waiting' })
  })

  test('PERM-04 refuses a grant for always to a run without user and access control, and names the option to set', async () => {
    const { agent, done } = acting([{ n: 1 }])
    const run = agent.start('Hi', { runId: 'r' })
    await run.settled()
    expect(await run.approve(undefined, { scope: 'always' })).toMatchObject({
      answer: 'refused',
      message:
        '"scope" is "always", and run "r" has neither "userId" nor "accessControl". Start runs with { userId }, or decide with scope "run".',
    })
    expect([await agent.grants(), await agent.audit(), done]).toEqual([[], [], []])
    expect(await run.approve(undefined, { scope: 'run' })).toMatchObject({ answer: 'applied' })
  })

  test("PERM-04 a user's grant applies to no other agent on the same store", async () => {
    const store = memoryStore()
    const { agent } = acting([{ n: 1 }], { store })
    const run = agent.start('Hi', { userId: 'ann' })
    await run.settled()
    await run.approve(undefined, { scope: 'always' })
    await run.settled()
    const other = acting([{ n: 1 }], { store, name: 'other', process: 'p2' })
    expect(await askedAbout(other.agent.start('Hi', { userId: 'ann' }))).toEqual([{ n: 1 }])
  })

  test('PERM-05 an edit with a scope runs the call as edited, and later calls unedited', async () => {
    const { agent, done } = acting([{ n: 1 }, { n: 2 }])
    const run = agent.start('Hi')
    await run.settled()
    await run.edit(undefined, { n: 9 }, { scope: 'run' })
    expect(await run.settled()).toMatchObject({ status: 'done' })
    expect(done).toEqual(['act {"n":9}', 'act {"n":2}'])
  })

  test('PERM-05 a denial with a scope refuses later calls without asking', async () => {
    const { agent, done } = acting([{ n: 1 }, { n: 2 }])
    const run = agent.start('Hi', { userId: 'ann' })
    await run.settled()
    await run.deny(undefined, { reason: 'Never.', scope: 'always' })
    const { status, messages } = await run.settled()
    expect([status, done]).toEqual(['done', []])
    expect(JSON.stringify(messages)).toContain('[Not executed: it was denied before, for all calls like this one.]')
    const [grant] = await agent.grants()
    await agent.revoke(grant?.id ?? '')
    expect(await agent.run('Hi', { userId: 'ann' })).toMatchObject({ status: 'waiting' })
  })

  test("PERM-04 a grant lapses if its tool's definition changes", async () => {
    const store = memoryStore()
    const before = acting([{ n: 1 }], { store })
    const run = before.agent.start('Hi', { userId: 'ann' })
    await run.settled()
    await run.approve(undefined, { scope: 'always' })
    await run.settled()
    const { act } = toolbox()
    const changed = { ...act('act', { needs: 'approval' }), input: { type: 'object', properties: { n: {} } } }
    const after = acting([{ n: 1 }], { store, process: 'p2', tools: [changed] })
    expect(await after.agent.run('Hi', { userId: 'ann' })).toMatchObject({ status: 'waiting' })
  })

  test('PERM-04 PERM-05 a grant answers the rule that asked, and no other rule that asks about the same call', async () => {
    const store = memoryStore()
    const rules = { ask: ['act(n = 1)'] }
    const before = acting([{ n: 1 }, { n: 1 }], { store, permissions: { rules } }, {} as never)
    const run = before.agent.start('Hi', { userId: 'ann' })
    expect((await run.settled()).suspended[0]?.suspension?.rule).toBe('act(n = 1)')
    await run.approve(undefined, { scope: 'always' })
    expect(await run.settled()).toMatchObject({ status: 'done' })
    expect(await before.agent.grants()).toMatchObject([{ rule: 'act(n = 1)' }])
    const other = { permissions: { rules: { ask: ['act(n = 1)', 'act(n != 7)'] } }, store, process: 'p2' }
    const after = acting([{ n: 1 }, { n: 2 }], other, {} as never)
    const asked = after.agent.start('Hi', { userId: 'ann' })
    expect((await asked.settled()).suspended).toMatchObject([
      { arguments: { n: 1 }, suspension: { rule: 'act(n != 7)' } },
    ])
    await asked.approve(undefined, { scope: 'run' })
    expect(await asked.settled()).toMatchObject({ status: 'done' })
    expect(after.done).toHaveLength(2)
  })

  test('PERM-04 a grant replaces neither the manager nor a plugin', async () => {
    const { agent, done } = acting([{ n: 1 }, { n: 2 }, { n: 3 }], {
      permissions: {
        policy: () => ['act'],
        manager: {
          get: (_, [asked]) => ({ act: asked?.calls[0]?.callId.startsWith('2') === true ? 'denied' : 'approved' }),
        },
      },
      plugins: [
        {
          name: 'third',
          gateCall: ({ call: { callId } }) =>
            callId.startsWith('3') ? { suspend: { message: 'Really?' } } : undefined,
        },
      ],
    })
    const run = agent.start('Hi')
    await run.settled()
    await run.approve(undefined, { scope: 'run' })
    const { suspended, messages } = await run.settled()
    expect(done).toEqual(['act {"n":1}'])
    expect(suspended).toMatchObject([{ callId: '3.c2', suspension: { reason: 'plugin', message: 'Really?' } }])
    expect(JSON.stringify(messages)).toContain("[Critical] You don't have the permission to call this tool")
    expect(await run.approve(undefined, { scope: 'run' })).toMatchObject({ answer: 'refused' })
  })

  test('PERM-04 a waiting call keeps waiting when its kind is granted, and a call whose grant is revoked is asked about', async () => {
    const { act, done } = toolbox()
    const both = calls(call('a', 'act', { n: 1 }), call('b', 'act', { n: 2 }))
    const { agent } = testAgent({
      replies: [both, calls(call('c', 'act', { n: 3 })), 'Done.'],
      tools: [act('act', { needs: 'approval' })],
    })
    const run = agent.start('Hi')
    await run.settled()
    await run.approve('1.a', { scope: 'run' })
    expect((await run.settled()).suspended.map(({ callId }) => callId)).toEqual(['1.b'])
    const [grant] = await agent.grants({ runId: run.id })
    expect(await agent.revoke(grant?.id ?? '', { by: 'bob' })).toMatchObject({ id: grant?.id })
    await run.approve('1.b')
    expect((await run.settled()).suspended.map(({ callId }) => callId)).toEqual(['2.c'])
    expect(done).toEqual(['act {"n":1}', 'act {"n":2}'])
  })

  test('PERM-04 the call gate asks about a call whose grant was revoked after planning', async () => {
    const { act, done } = toolbox()
    let revoke: () => Promise<unknown> = async () => undefined
    const slow = act('slow')
    const { agent } = testAgent({
      replies: [calls(call('a', 'act', { n: 1 })), calls(call('b', 'slow'), call('c', 'act', { n: 2 })), 'Done.'],
      executor: 'sequential',
      tools: [
        act('act', { needs: 'approval' }),
        {
          ...slow,
          execute: async () => {
            await revoke()
            return 'slow done'
          },
        },
      ],
    })
    const run = agent.start('Hi')
    await run.settled()
    await run.approve(undefined, { scope: 'run' })
    revoke = async () => agent.revoke((await agent.grants())[0]?.id ?? '')
    const { suspended } = await run.settled()
    expect(suspended).toMatchObject([{ callId: '2.c', suspension: { reason: 'approval' } }])
    expect(suspended[0]?.suspension?.definition).toBeTypeOf('string')
    expect(done).toEqual(['act {"n":1}'])
    expect(await run.approve(undefined, { scope: 'run' })).toMatchObject({ answer: 'applied' })
    expect(await run.settled()).toMatchObject({ status: 'done' })
  })
})
