import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { resultsOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { heldTool } from '../../../proof/support/tools.ts'

const replies = [calls(call('c1', 'pay')), 'Bye']
const leaseMs = 30_000

/** A run whose tool has been paid for while another connection holds the store locked; no time passes meanwhile. */
async function lockedOut() {
  const file = join(await temporaryFolder(), 'runs.db')
  const clock = fakeClock()
  const store = sqliteStore(file, { clock })
  const pay = heldTool('pay')
  const first = testAgent({ replies, store, clock, leaseMs, tools: [pay.tool] })
  const run = first.agent.start('Hi', { runId })
  const driving = run.settled()
  driving.catch(() => undefined)
  await pay.begins('1.c1')
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  pay.finish('1.c1', 'paid')
  for await (const { type } of run.events()) if (type === 'commit.delayed') break
  await clock.sleeping()
  const unlock = () => {
    other.exec('ROLLBACK')
    other.close()
  }
  const second = testAgent({ replies, store, clock, leaseMs, process: 'p2', tools: [pay.tool] })
  return { store, clock, pay, run, driving, unlock, second }
}

test('CKP-09 RUN-06 a detach ends the wait for a locked store, and another process asks about the interrupted work', async () => {
  const { store, clock, pay, run, driving, unlock, second } = await lockedOut()
  await run.detach()
  await expect(driving).rejects.toMatchObject({ code: 'store_busy' })
  unlock()
  clock.advance(leaseMs + 1)
  const again = await second.agent.load(runId)
  expect((await again.settled()).suspended).toMatchObject([{ callId: '1.c1', suspension: { reason: 'interrupted' } }])
  await again.respond('1.c1', 'paid, as the bank says')
  expect((await again.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(pay.begun).toEqual(['1.c1'])
  await store.close()
})

test('CKP-09 RUN-06 a detach tries the commit once more, so that paid work is kept if the store accepts it', async () => {
  const { store, pay, run, driving, unlock, second } = await lockedOut()
  unlock()
  await run.detach()
  await expect(driving).rejects.toMatchObject({ code: 'run_detached' })
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'paid' })
  expect((await (await second.agent.load(runId)).settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(pay.begun).toEqual(['1.c1'])
  await store.close()
})
