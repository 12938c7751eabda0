import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { heldTool, toolbox, toolNamed } from '../../../proof/support/tools.ts'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { startChild } from '../../adapters/stores/child.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'

const replies = [calls(call('c1', 'held')), 'Done']

/** A run that one agent drives, and another agent on its store that follows it. */
async function followed(leaseMs = 30_000) {
  const held = heldTool('held', { effects: 'idempotent' })
  const first = testAgent({ replies, tools: [held.tool], leaseMs })
  const run = first.agent.start('Hi', { runId })
  await held.begins('1.c1')
  const options = { replies, tools: [held.tool], leaseMs, store: first.store, clock: first.clock }
  const second = testAgent({ ...options, process: 'p2' })
  return { held, first, run, second, follower: await second.agent.load(runId) }
}

test('CKP-05 DEC-07 follows a run until whoever drives it has brought it to rest', async () => {
  const { held, first, run, second, follower } = await followed()
  await expect(follower.settled()).rejects.toMatchObject({ code: 'run_is_driven' })
  const following = follower.settled({ follow: true })
  held.finish('1.c1')
  expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done' })
  first.clock.advance(250)
  expect(await following).toMatchObject({ status: 'done', text: 'Done' })
  expect([first.prompts.length, second.prompts.length]).toEqual([2, 0])
})

test('CKP-05 drives the run it follows where its driver leaves it', async () => {
  const { held, run, second, follower, first } = await followed()
  const following = follower.settled({ follow: true })
  await quiet()
  const left = run.settled()
  await run.detach()
  await expect(left).rejects.toMatchObject({ code: 'run_detached' })
  for (let looks = 0; looks < 4; looks++) {
    await first.clock.sleeping()
    first.clock.advance(250)
    await quiet()
  }
  await expect.poll(() => held.begun).toEqual(['1.c1', '1.c1'])
  held.finish('1.c1')
  expect(await following).toMatchObject({ status: 'done', text: 'Done' })
  expect(second.prompts.length).toBe(1)
})

test('DEC-07 ends at a wait as at the end, and goes on waiting where something was sent that its driver has not taken in', async () => {
  const { act } = toolbox()
  const options = { replies: [calls(call('c1', 'act')), 'Done'], tools: [act('act', { needs: 'approval' })] }
  const first = testAgent(options)
  await first.agent.run('Hi', { runId })
  const owner = { id: 'another', host: 'another', pid: 1, pidStart: '' }
  const { lease } = await first.store.claim(runId, owner, 30_000)
  if (lease === undefined) throw new Error('The run is done.')
  const follower = await testAgent({ ...options, store: first.store, clock: first.clock, process: 'p2' }).agent.load(
    runId,
  )
  expect(await follower.settled({ follow: true })).toMatchObject({ status: 'waiting' })

  await follower.approve()
  let isSettled = false
  const following = follower.settled({ follow: true }).finally(() => (isSettled = true))
  await first.clock.sleeping()
  expect(isSettled).toBe(false)
  await first.store.release(lease)
  for (let looks = 0; looks < 4; looks++) {
    await first.clock.sleeping()
    first.clock.advance(250)
    await quiet()
  }
  expect(await following).toMatchObject({ status: 'done', text: 'Done' })
})

test('CKP-05 ends following by detach() and by close(), and refuses an option it does not know', async () => {
  const { held, run, second, follower } = await followed()
  const detached = follower.settled({ follow: true })
  await quiet()
  await follower.detach()
  await expect(detached).rejects.toMatchObject({ name: 'UsageError', code: 'run_detached' })
  const closed = follower.settled({ follow: true })
  await quiet()
  await second.agent.close()
  await expect(closed).rejects.toMatchObject({ name: 'UsageError', code: 'agent_closed' })
  await expect(follower.settled({ folow: true } as never)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining('follow'),
  })
  held.finish('1.c1')
  expect(await run.settled()).toMatchObject({ status: 'done' })
})

test.each(['ends', 'is killed'])('CKP-05 DEC-07 follows a run of another process until that %s', async (how) => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  await using child = startChild('drive-run', path, runId)
  expect(await child.line()).toBe('running')
  const store = sqliteStore(path)
  const agent = createAgent({
    name: 'test',
    model: scripted([calls(call('c1', 'held')), 'Done by the follower']),
    store,
    tools: [toolNamed('held', () => 'held by the follower', { effects: 'idempotent' })],
  })
  expect((await agent.resume(runId)).drive).toBe('elsewhere')
  const following = (await agent.load(runId)).settled({ follow: true })
  if (how === 'ends') child.tell('go on')
  else await child.kill()
  const text = how === 'ends' ? 'Done by the child' : 'Done by the follower'
  expect(await following).toMatchObject({ status: 'done', text })
  await agent.close()
  await store.close()
})
