import { expect, test } from 'vitest'
import { fakeClock, start as now } from '../../../proof/support/fake-clock.ts'
import { atSecondLook } from '../../../src/core/driving/second-look.ts'
import { createAgent, StoreError } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { livingOwner, newRun } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { sessionState, inSession } from '../../../src/testing/stores/store-suite-sessions.ts'

const leaseOf = (runId: string) => ({ runId, fence: 1, expires: 5 })
const refusal = (runId: string) => new StoreError('run_is_driven', 'driven', { expired: leaseOf(runId) })
const other = new StoreError('run_unknown', 'unknown')

test.for([
  ['gives an answer at once', [], true, { asked: [[]], waits: 0, end: 'answer' }],
  ['asks again with an expired lease', [refusal('a')], true, { asked: [[], ['a']], waits: 1, end: 'answer' }],
  [
    'asks again for each run',
    [refusal('a'), refusal('b')],
    true,
    { asked: [[], ['a'], ['a', 'b']], waits: 2, end: 'answer' },
  ],
  [
    'gives up a lease that was renewed',
    [refusal('a'), refusal('a')],
    true,
    { asked: [[], ['a']], waits: 1, end: 'run_is_driven' },
  ],
  ['gives up if nobody waits', [refusal('a')], false, { asked: [[]], waits: 1, end: 'run_is_driven' }],
  ['throws another error', [other], true, { asked: [[]], waits: 0, end: 'run_unknown' }],
] as const)('CKP-05 a second look %s', async ([, errors, isWaiting, expected]) => {
  const left = [...errors]
  const asked: (readonly string[])[] = []
  let waits = 0
  const ask = async (found: readonly { readonly runId: string }[]) => {
    asked.push(found.map(({ runId }) => runId))
    const error = left.shift()
    if (error !== undefined) throw error
    return 'answer'
  }
  const wait = async () => {
    waits++
    return isWaiting
  }
  const end = await atSecondLook(ask, wait).catch((error: unknown) => error instanceof StoreError && error.code)
  expect({ asked, waits, end }).toEqual(expected)
})

test('CKP-05 SES-02 session.delete deletes a run whose process is stopped, after the time of a lease', async () => {
  const owner = livingOwner('stopped')
  if (owner === undefined) return
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const state = sessionState('talk', { lastRun: 'run' })
  await store.create(newRun('run', { ...inSession(state, 0) }), owner, 1000)
  clock.advance(1000)
  const agent = createAgent({ name: 'guide', model: scripted([]), store, clock, leaseMs: 5000 })
  const deleted = agent.session('talk').delete()
  await clock.sleeping(now + 6000)
  expect(await store.list()).toHaveLength(1)
  clock.advance(5000)
  expect(await deleted).toEqual({ runs: ['run'], readers: [] })
  await agent.close()
})
