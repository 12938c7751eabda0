import { expect, test } from 'vitest'
import { agentWith, echo } from '../../../proof/support/agent-with-toolsets.ts'
import { heldToolset } from '../../../proof/support/held-toolset.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { runId } from '../../../proof/support/test-agent.ts'
import { heldTool } from '../../../proof/support/tools.ts'
import { createAgent, type Run } from '../../../src/index.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

test('TOOL-06 ends a run that is cancelled while a toolset opens, from this process or another', async () => {
  for (const cancel of [
    async (run: Run) => run.cancel('Enough.'),
    async (run: Run, other: { load(id: string): Promise<Run> }) => (await other.load(run.id)).cancel('Enough.'),
  ]) {
    const pets = heldToolset('pets', [echo('a')])
    const held = pets.hold({ ignoresSignal: true })
    const { agent, store, seen } = agentWith([pets.toolset])
    const run = agent.start('Hi', { runId })
    const settled = run.settled()
    await held.asked
    await cancel(run, createAgent({ name: 'other', model: scripted(['Bye']), store }))
    expect((await settled).outcome.reason).toBe('cancelled')
    expect(seen).toEqual([])
  }
})

test('TOOL-06 ends a run that was cancelled before it was driven, though its toolset never opens', async () => {
  const pets = heldToolset('pets', [echo('a')])
  pets.hold({ ignoresSignal: true })
  const { agent, seen } = agentWith([pets.toolset])
  const run = agent.start('Hi', { runId, drive: false })
  await run.cancel('Enough.')
  expect((await run.settled()).outcome.reason).toBe('cancelled')
  expect(seen).toEqual([])
})

test('TOOL-06 starts no cancel watch for a finished run whose tools are open, and lets the next run start without waiting for tools', async () => {
  const inner = memoryStore()
  let watching = 0
  let watches = 0
  const store: Store = {
    ...inner,
    watch(id, changed) {
      watching++
      watches++
      const stop = inner.watch(id, changed)
      return () => {
        watching--
        stop()
      }
    },
  }
  const pets = heldToolset('pets', [echo('a')])
  const held = pets.hold()
  const { agent } = agentWith([pets.toolset], { store })
  const end = agent.run('Hi', { runId })
  await held.asked
  expect(watching).toBeGreaterThan(0)
  held.release()
  expect((await end).status).toBe('done')
  expect(watching).toBe(0)

  const before = watches
  expect((await agent.run('Hi again')).status).toBe('done')
  expect(watches - before).toBe(1)
})

test('TOOL-06 leaves a run that is detached while a toolset opens, and releases its lease', async () => {
  const pets = heldToolset('pets', [echo('a')])
  const held = pets.hold({ ignoresSignal: true })
  const { agent, store } = agentWith([pets.toolset])
  const run = agent.start('Hi', { runId })
  const settled = run.settled()
  await held.asked
  await run.detach()
  await expect(settled).rejects.toMatchObject({ code: 'run_detached' })
  const other = agentWith([], { store, process: 'p2' }).agent
  expect((await (await other.load(runId)).settled()).outcome).toEqual({ reason: 'natural_end' })
})

test('TOOL-06 close leaves runs as stored, closes the toolsets, and starts no new work', async () => {
  const slow = heldTool('slow')
  const pets = heldToolset('pets', [slow.tool])
  const { agent, store } = agentWith([pets.toolset], { replies: [calls(call('c1', 'slow')), 'Bye'] })
  const run = agent.start('Hi', { runId })
  const settled = run.settled()
  const { signal } = await slow.begins('1.c1')
  const closing = agent.close()
  expect(agent.close()).toBe(closing)
  await closing
  expect(signal.aborted).toBe(true)
  await expect(settled).rejects.toMatchObject({ code: 'run_detached' })
  const closed = {
    code: 'agent_closed',
    message: 'Agent "test" was closed. Make another one; the runs of this one are stored and go on there.',
  }
  expect(() => agent.start('Hi')).toThrow(expect.objectContaining(closed))
  await expect(agent.run('Hi')).rejects.toMatchObject(closed)
  await expect(agent.fork(runId, { from: 1 })).rejects.toMatchObject(closed)
  await expect((await agent.load(runId)).settled()).rejects.toMatchObject(closed)
  expect((await run.result()).status).toBe('running')
  expect(pets.asked).toEqual(['tools', 'close'])
  expect(pets.listeners.size).toBe(0)

  const next = agentWith([heldToolset('pets', [echo('slow')]).toolset], { store, process: 'p2', replies: ['', 'Bye'] })
  const { suspended } = await (await next.agent.load(runId)).settled()
  expect(suspended.map(({ suspension }) => suspension?.reason)).toEqual(['interrupted'])
})

test('TOOL-06 closes every toolset even if another fails to close or is still opening', async () => {
  const stuck = heldToolset('stuck', [echo('a')])
  const held = stuck.hold()
  const sick = heldToolset('sick', [echo('b')], { closing: () => Promise.reject(new Error('it will not end')) })
  const sound = heldToolset('sound', [echo('c')])
  const { agent } = agentWith([sick.toolset, stuck.toolset, sound.toolset])
  const settled = agent.run('Hi')
  await held.asked
  const closing = agent.close()
  await expect(closing).rejects.toMatchObject({
    name: 'ToolsetError',
    code: 'toolset_not_closed',
    toolset: 'sick',
    message: 'Toolset "sick" could not be closed: it will not end',
  })
  await expect(settled).rejects.toMatchObject({ code: 'run_detached' })
  expect([sick, stuck, sound].map(({ asked }) => asked.at(-1))).toEqual(['close', 'close', 'close'])
})

test('TOOL-06 closes an agent when its `using` block exits, also by an exception', async () => {
  const pets = heldToolset('pets', [echo('a')])
  const work = async () => {
    await using agent = agentWith([pets.toolset]).agent
    await agent.run('Hi')
    throw new Error('on purpose')
  }
  await expect(work()).rejects.toThrow('on purpose')
  expect(pets.asked).toEqual(['tools', 'close'])
})
