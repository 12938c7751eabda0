import { expect, test } from 'vitest'
import type { Store, Tool } from '../../src/index.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { MortalProcess } from '../../src/testing/crash/mortal-process.ts'
import { mortalStore } from '../../src/testing/crash/mortal-store.ts'
import { checkpointsOf, resultsOf, statusesOf, transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox, toolNamed } from '../../proof/support/tools.ts'
import { heldReply, quiet, runId, stop, testAgent, type TestAgent } from '../../proof/support/test-agent.ts'

const replies = [calls(call('c1', 'gated', { n: 1 }), call('c2', 'act')), 'So far', 'Bye']

async function finish({ agent }: TestAgent): Promise<void> {
  const run = await agent.load(runId)
  const { suspended } = await run.settled()
  for (const { callId } of suspended) await run.approve(callId)
  if (suspended.length > 0) await run.settled()
}

test.for(['before', 'after'] as const)(
  'CKP-03 RUN-06 DEC-07 continues after a stop %s any write with the same transcript (S6)',
  async (side) => {
    const box = toolbox()
    const tools = [box.act('act', { effects: 'none' }), box.act('gated', { needs: 'approval', effects: 'none' })]
    const undisturbed = new MortalProcess()
    const whole = testAgent({ replies, tools, store: mortalStore(memoryStore(), undisturbed) })
    await whole.agent.run('Hi', { runId })
    await finish(whole)
    const expected = await transcriptOf(whole.store, runId)
    expect(undisturbed.writes).toBeGreaterThan(6)

    // The first write stores the run: before it there is nothing to go on with.
    for (let write = 2; write <= undisturbed.writes; write++) {
      const clock = fakeClock()
      const store = memoryStore({ clock })
      const mortal = new MortalProcess({ write, side })
      const broken = testAgent({ replies, tools, store: mortalStore(store, mortal), clock })
      const driving = (async () => {
        await broken.agent.run('Hi', { runId })
        await finish(broken)
      })()
      await expect(driving, `write ${write}`).rejects.toMatchObject({ name: 'StoreError', code: 'store_unavailable' })
      broken.clock.advance(60_000)
      await finish(testAgent({ replies, tools, store, clock: broken.clock, process: 'p2' }))
      expect(await transcriptOf(store, runId), `stopped ${side} write ${write}`).toEqual(expected)
    }
  },
)

test('CKP-01 DEC-02 names checkpoints in the order of the flow, across a wait (S6)', async () => {
  const { act } = toolbox()
  const gated = [act('gated', { needs: 'approval' })]
  const first = testAgent({ replies: [calls(call('c1', 'gated')), 'Bye'], tools: gated })
  await first.agent.run('Hi', { runId })
  const later = testAgent({
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: gated,
    store: first.store,
    process: 'p2',
  })
  const run = await later.agent.load(runId)
  await run.approve()
  await run.settled()

  expect((await checkpointsOf(first.store, runId)).flatMap((names) => names.split('+'))).toEqual([
    'UserMessage',
    'AssistantTurnCommitted',
    'ToolResultsCommitted',
    'RunFinished',
    'UserMessage',
    'ToolResultsCommitted',
    'AssistantTurnCommitted',
    'RunFinished',
  ])
})

test('DEC-07 RUN-06 executes nothing when a finished run is driven again (S7)', async () => {
  const { done, act } = toolbox()
  const { agent, store, prompts } = testAgent({ replies: [calls(call('c1', 'act')), 'Bye'], tools: [act()] })
  const end = await agent.run('Hi', { runId })
  const before = await store.read(runId)
  const again = await (await agent.load(runId)).settled()

  expect(again).toEqual(end)
  expect([done.length, prompts.length]).toEqual([1, 2])
  expect(await store.read(runId)).toEqual(before)
})

test('RUN-06 ends the drive, not the run, if the last commit fails (E5)', async () => {
  const store = memoryStore()
  let isBroken = true
  const failing: Store = {
    ...store,
    async commit(commit) {
      if (commit.status === 'done' && isBroken) throw new Error('disk full')
      return store.commit(commit)
    },
  }
  const { agent } = testAgent({ replies: ['Bye'], store: failing })
  const types: string[] = []
  const driving = (async () => {
    for await (const { type } of agent.start('Hi', { runId })) types.push(type)
  })()

  await expect(driving).rejects.toMatchObject({ name: 'StoreError', code: 'store_unavailable' })
  expect(types).not.toContain('run.ended')
  expect((await store.record(runId)).status).toBe('running')
  isBroken = false
  const later = testAgent({ replies: ['Bye'], store })
  later.clock.advance(60_000)
  for await (const { type } of await later.agent.load(runId)) types.push(type)
  expect(types.filter((type) => type === 'run.ended')).toEqual(['run.ended'])
  expect((await store.record(runId)).doneReason).toBe('natural_end')
})

interface Again {
  readonly effects: NonNullable<Tool['effects']>
  readonly begun: readonly string[]
  readonly statuses: Readonly<Record<string, string>>
}

const settled = { '1.c1': 'succeeded', '1.c2': 'succeeded', '1.c3': 'succeeded' }

test.for<Again>([
  { effects: 'none', begun: ['1.c2', '1.c2'], statuses: settled },
  { effects: 'idempotent', begun: ['1.c2', '1.c2'], statuses: settled },
  { effects: 'once', begun: ['1.c2'], statuses: { ...settled, '1.c2': 'suspended' } },
])(
  'TC-08 TC-09 runs a call again after its process died, or asks: $effects (S27)',
  async ({ effects, begun, statuses }) => {
    const held = heldTool('held', { effects })
    const { done, act } = toolbox()
    const options = {
      replies: [calls(call('c1', 'act'), call('c2', 'held'), call('c3', 'act')), 'Bye'],
      tools: [held.tool, act()],
    }
    const first = testAgent(options)
    const run = first.agent.start('Hi', { runId })
    const end = run.settled()
    const keys = [(await held.begins('1.c2')).idempotencyKey]
    await quiet()
    await stop(run, end)
    held.finish('1.c2', 'lost')

    const second = testAgent({ ...options, store: first.store, process: 'p2' })
    const later = await second.agent.load(runId)
    const goesOn = later.settled()
    if (effects !== 'once') {
      keys.push((await held.begins('1.c2')).idempotencyKey)
      held.finish('1.c2')
    }
    await goesOn
    expect(held.begun).toEqual(begun)
    expect(new Set(keys)).toEqual(new Set(['run-1:1.c2:0']))
    expect(done).toEqual(['act {}', 'act {}'])
    expect(await statusesOf(first.store, runId)).toEqual(statuses)
  },
)

test.for([
  ['retry', 'succeeded', 'held done', 2],
  ['take this result', 'succeeded', 'I looked: it ran', 1],
  ['cancel', 'cancelled', '[Interrupted: the tool may or may not have run.]', 1],
  ['cancel the call', 'cancelled', '[Interrupted: the tool may or may not have run.]', 1],
  ['cancel the run', 'cancelled', '[Interrupted: the tool may or may not have run.]', 1],
] as const)(
  'TC-08 RUN-03 waits for a person if a call was interrupted: %s (S27)',
  async ([verb, status, text, times]) => {
    const held = heldTool()
    const { act } = toolbox()
    const options = { replies: [calls(call('c1', 'held'), call('c2', 'act')), 'Bye'], tools: [held.tool, act()] }
    const first = testAgent(options)
    const running = first.agent.start('Hi', { runId })
    const end = running.settled()
    await held.begins('1.c1')
    await quiet()
    await stop(running, end)
    held.finish('1.c1', 'lost')
    const second = testAgent({ ...options, store: first.store, process: 'p2' })
    const run = await second.agent.load(runId)
    const paused = await run.settled()
    expect(paused.suspended.map(({ suspension }) => suspension?.reason)).toEqual(['interrupted'])
    expect(second.prompts).toEqual([])

    if (verb === 'retry') await run.approve()
    if (verb === 'take this result') await run.respond(undefined, 'I looked: it ran')
    if (verb === 'cancel') await run.deny(undefined, { reason: 'Leave it' })
    if (verb === 'cancel the call') await run.cancelCall('1.c1', 'Leave it')
    if (verb === 'cancel the run') await run.cancel()
    const finished = run.settled()
    if (verb === 'retry') {
      await held.begins('1.c1')
      held.finish('1.c1')
    }
    await finished
    expect((await statusesOf(first.store, runId))['1.c1']).toBe(status)
    expect((await resultsOf(first.store, runId))['1.c1']).toBe(text)
    expect(held.begun.length).toBe(times)
  },
)

test('TC-08 DEC-07 replays a call once that a crash left at the gate of its replay (S14)', async () => {
  const { done, act } = toolbox()
  const at = Promise.withResolvers<void>()
  let isHanging = true
  const options = {
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' })],
    plugins: [
      {
        name: 'slow',
        gateCall: ({ decision }: { decision?: unknown }) => {
          if (decision === undefined || !isHanging) return undefined
          at.resolve()
          return new Promise<undefined>(() => {})
        },
      },
    ],
  }
  const first = testAgent(options)
  await first.agent.run('Hi', { runId })
  const run = await first.agent.load(runId)
  await run.approve()
  const end = run.settled()
  await at.promise
  await quiet()
  await stop(run, end)
  expect(await statusesOf(first.store, runId)).toEqual({ '1.c1': 'resuming' })
  isHanging = false
  const second = testAgent({ ...options, store: first.store, process: 'p2' })

  expect((await (await second.agent.load(runId)).settled()).text).toBe('Bye')
  expect(done).toEqual(['gated {}'])
})

test('TC-08 marks a replay whose process died as interrupted, and does not run it without a decision', async () => {
  const held = heldTool('held', { needs: 'approval' })
  const options = { replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] }
  const first = testAgent(options)
  await first.agent.run('Hi', { runId })
  const run = await first.agent.load(runId)
  await run.approve()
  const end = run.settled()
  await held.begins('1.c1')
  await stop(run, end)
  const second = testAgent({ ...options, store: first.store, process: 'p2' })

  const { suspended } = await (await second.agent.load(runId)).settled()
  expect(suspended.map(({ suspension }) => suspension?.reason)).toEqual(['interrupted'])
  expect(held.begun.length).toBe(1)
})

test('TC-08 interrupts a call whose tool may not run twice by the current code, with any declaration at the start', async () => {
  const held = heldTool('held', { effects: 'none' })
  const options = { replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] }
  const first = testAgent(options)
  const run = first.agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  await stop(run, end)
  const tools = [heldTool('held', { effects: 'once' }).tool]
  const second = testAgent({ ...options, tools, store: first.store, process: 'p2' })

  const { suspended } = await (await second.agent.load(runId)).settled()
  expect(suspended.map(({ suspension }) => suspension?.reason)).toEqual(['interrupted'])
})

test('CKP-05 RUN-08 asks the model again if the process died during its answer', async () => {
  const first = heldReply()
  const one = testAgent({ replies: [first.reply] })
  const run = one.agent.start('Hi', { runId })
  const end = run.settled()
  await first.asked
  await stop(run, end)
  const two = testAgent({ replies: ['Bye'], store: one.store, process: 'p2' })

  expect((await (await two.agent.load(runId)).settled()).text).toBe('Bye')
  expect(await transcriptOf(one.store, runId)).toEqual(['user: Hi', 'assistant: Bye'])
})

test('TC-09 gives every call its own key', async () => {
  const keys: string[] = []
  const keyed = toolNamed('keyed', (_, { idempotencyKey }) => {
    keys.push(idempotencyKey)
    return 'noted'
  })
  const { agent } = testAgent({
    replies: [calls(call('c', 'keyed'), call('c', 'keyed')), calls(call('c', 'keyed')), 'Bye'],
    tools: [keyed],
  })
  await agent.run('Hi', { runId })

  expect(keys).toEqual(['run-1:1.c:0', 'run-1:1.c.2:0', 'run-1:2.c:0'])
})
