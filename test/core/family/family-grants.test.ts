import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Agent, createAgent, type Store, tool } from '../../../src/index.ts'
import type { DecisionScope } from '../../../src/ports.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { listGrants } from '../../../src/core/driving/list-grants.ts'
import { hasPostgres, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { postgresSubject } from '../../../proof/support/postgres-subject.ts'

sayNoPostgres('grants of families on Postgres are')

type Opened = { readonly store: Store; dispose(): Promise<void> }
const stores: readonly (readonly [string, () => Promise<Opened>])[] = [
  ['memory', async () => ({ store: memoryStore(), dispose: async () => {} })],
  ['SQLite', async () => opened(sqliteStore(':memory:'))],
  ...(hasPostgres ? [['Postgres', () => postgresSubject({ now: () => Date.now() })] as const] : []),
]

function opened(store: Store & { close(): Promise<void> }): Opened {
  return { store, dispose: () => store.close() }
}

const call = (name: string, given: object) => ({ toolCalls: [{ id: name, name, arguments: given as never }] })
const asksPay = { rules: { ask: ['pay'] } }

/** A boss whose rule asks about payments. In each turn it has a helper pay, or pays itself. */
function team(
  store: Store,
  turns: readonly ('help' | 'pay')[],
  helperRules = {},
  beforeSecond = async (): Promise<unknown> => undefined,
): { agent: Agent; paid: string[] } {
  const paid: string[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({}),
    execute: (_, { runId }) => `${paid.push(runId)}`,
  })
  const helper = createAgent({
    name: 'helper',
    model: scripted(turns.flatMap(() => [call('pay', {}), 'Paid.'])),
    tools: [pay],
    ...helperRules,
  })
  const agent = createAgent({
    name: 'boss',
    store,
    model: scripted([
      ...turns.map((name, place) => async () => {
        if (place === 1) await beforeSecond()
        return call(name, name === 'help' ? { prompt: 'Pay.' } : {})
      }),
      'Done.',
    ]),
    tools: [pay, helper.asTool({ name: 'help', description: 'Helps.' })],
    permissions: asksPay,
  })
  return { agent, paid }
}

/** Plays a run and approves each question with the next scope. Returns the agents that called, in the order of questions. */
async function asked(agent: Agent, scopes: readonly DecisionScope[], runId: string, given = {}): Promise<string[]> {
  const run = agent.start('Go.', { runId, ...given })
  const callers: string[] = []
  let standing = await run.settled()
  for (const scope of scopes) {
    callers.push(standing.suspended[0]?.callId.includes('/') === true ? 'helper' : 'boss')
    expect(await run.approve(undefined, { scope, by: 'ann' })).toMatchObject({ answer: 'applied' })
    standing = await run.settled()
  }
  expect(standing.status).toBe('done')
  return callers
}

describe.each(stores)('PERM-04 PERM-06 %s', (_, open) => {
  test('PERM-04 PERM-06 a grant answers the agent that asked: for a run, a family, or always', async () => {
    const { store, dispose } = await open()
    const play = (turns: readonly ('help' | 'pay')[], scopes: readonly DecisionScope[], runId: string, given = {}) =>
      asked(team(store, turns).agent, scopes, runId, given)
    // A member that begins later and the root itself are answered too; the second family is not.
    expect(await play(['help', 'help', 'pay'], ['family'], 'f1')).toEqual(['helper'])
    expect(await play(['pay', 'help'], ['family'], 'f2')).toEqual(['boss'])
    expect(await listGrants(store)).toMatchObject([
      { scope: 'family', agent: 'boss', grantee: 'family:f2', rule: 'pay', runId: 'f2' },
      { scope: 'family', agent: 'boss', grantee: 'family:f1', rule: 'pay' },
    ])
    expect(await play(['pay', 'pay', 'help', 'help'], ['run', 'run', 'run'], 'r1')).toEqual([
      'boss',
      'helper',
      'helper',
    ])
    const ann = { userId: 'ann' }
    expect(await play(['help', 'pay'], ['always', 'run'], 'a1', ann)).toEqual(['helper', 'boss'])
    expect(await play(['help', 'help', 'pay'], ['run'], 'a2', ann)).toEqual(['boss'])
    expect((await listGrants(store)).filter(({ scope }) => scope === 'always')).toMatchObject([
      { agent: 'boss/helper', asker: 'boss', grantee: 'user:ann' },
    ])
    await store.delete('f2')
    expect((await listGrants(store)).map(({ grantee }) => grantee)).not.toContain('family:f2')
    await dispose()
  })

  test("PERM-04 PERM-06 a grant at one level leaves another level's question open, and a denial applies to the family", async () => {
    const { store, dispose } = await open()
    const both = team(store, ['help', 'help', 'help'], { permissions: asksPay })
    expect(await asked(both.agent, ['family', 'family'], 'b1')).toEqual(['helper', 'helper'])
    const askers = (await both.agent.grants()).map(({ agent }) => agent)
    expect([askers, both.paid.length]).toEqual([['boss', 'boss/helper'], 3])

    const denied = team(store, ['help', 'help', 'pay'])
    const run = denied.agent.start('Go.', { runId: 'd1' })
    await run.settled()
    await run.deny(undefined, { scope: 'family' })
    expect([(await run.settled()).status, denied.paid]).toEqual(['done', []])
    await dispose()
  })

  test('PERM-04 PERM-06 a revoked grant answers nothing, nor does the grant of a cancelled family in its fork', async () => {
    const { store, dispose } = await open()
    const revoking = team(store, ['help', 'help'], {}, async () => {
      for (const { id } of await revoking.agent.grants()) await revoking.agent.revoke(id, { by: 'ann' })
    })
    expect(await asked(revoking.agent, ['family', 'once'], 'v1')).toEqual(['helper', 'helper'])

    const { agent } = team(store, ['help', 'pay', 'pay', 'pay'], {}, () => agent.load('c1').then((run) => run.cancel()))
    const run = agent.start('Go.', { runId: 'c1' })
    await run.settled()
    await run.approve(undefined, { scope: 'family' })
    expect((await run.settled()).outcome?.reason).toBe('cancelled')
    const from = (await run.history())[0]?.version ?? 0
    const fork = await agent.fork('c1', { from, runId: 'f1' })
    expect((await fork.settled()).suspended).toMatchObject([{ toolName: 'pay' }])
    await dispose()
  })
})
