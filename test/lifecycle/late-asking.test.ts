import { expect, test } from 'vitest'
import type { Json } from '../../src/core/domain/text/json.ts'
import type { ToolContext } from '../../src/core/ports/tool.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { resultsOf, stateOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolNamed } from '../../proof/support/tools.ts'
import { heldReply, quiet, runId, testAgent } from '../../proof/support/test-agent.ts'

/** Asks for everything a tool may ask for. */
function askForEverything({ patch, suspend, progress, update }: ToolContext): void {
  patch([{ path: ['total'], value: 'late' }])
  patch([{ path: ['total'], value: 1n as unknown as Json }])
  patch('none' as never)
  suspend({ message: 'late' })
  progress('late')
  update('late')
}

test('RUN-11 ignores a tool that acts after its return while another call of its round runs', async () => {
  const early = heldTool('early')
  const late = heldTool('late')
  const reply = heldReply()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'early'), call('c2', 'late')), reply.reply],
    tools: [early.tool, late.tool],
  })
  const run = agent.start('Hi', { runId })
  const events = run.events()
  const end = run.settled()
  const context = await early.begins('1.c1')
  context.patch([{ path: ['count'], value: 1 }])
  early.finish('1.c1')
  await quiet()
  askForEverything(context)
  const other = await late.begins('1.c2')
  other.patch([{ path: ['total'], value: 2 }])
  late.finish('1.c2')
  await reply.asked
  askForEverything(context)
  reply.give('Bye')
  const { outcome } = await end

  expect(outcome).toEqual({ reason: 'natural_end' })
  expect(await stateOf(store, runId)).toEqual({ count: 1, total: 2 })
  const types: string[] = []
  for await (const { type } of events) types.push(type)
  expect(types.filter((type) => /progress|toolExecution.updated/.test(type))).toEqual([])
})

test('RUN-11 TC-03 ignores a tool that acts after its time-out', async () => {
  const held = heldTool('held', { timeoutMs: 100 })
  const { agent, store, clock } = testAgent({ replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] })
  const run = agent.start('Hi', { runId })
  const events = run.events()
  const end = run.settled()
  const context = await held.begins('1.c1')
  context.progress('in time')
  await clock.sleeping(start + 100)
  clock.advance(100)
  await end
  askForEverything(context)

  const reported: unknown[] = []
  for await (const event of events) {
    if (event.type === 'progress.reported') reported.push(event.text)
    if (event.type === 'toolExecution.updated') reported.push(event.partial)
  }
  expect(reported).toEqual(['in time'])
  expect(await stateOf(store, runId)).toEqual({})
})

test('RUN-07 ignores a tool that acts after its call was cancelled', async () => {
  const held = heldTool('held')
  const { agent } = testAgent({ replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] })
  const run = agent.start('Hi', { runId })
  const events = run.events()
  const end = run.settled()
  const context = await held.begins('1.c1')
  await run.cancel()
  await end
  askForEverything(context)

  const types: string[] = []
  for await (const { type } of events) types.push(type)
  expect(types.at(-1)).toBe('run.ended')
})

test('RUN-11 copies state changes and partial results when a tool passes them', async () => {
  const cart = { items: ['tea'] }
  const shopping = toolNamed('shopping', (_, { patch, update, state }) => {
    patch([{ path: ['cart'], value: cart }])
    update(cart)
    cart.items.push('ghost')
    return JSON.stringify(state)
  })
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'shopping')), calls(call('c2', 'shopping')), 'Bye'],
    tools: [shopping],
  })
  const partials: unknown[] = []
  for await (const event of agent.start('Hi', { runId })) {
    if (event.type === 'toolExecution.updated') partials.push(event.partial)
  }

  expect(partials).toEqual([{ items: ['tea'] }, { items: ['tea', 'ghost'] }])
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': '{}', '2.c2': '{"cart":{"items":["tea"]}}' })
  expect(await stateOf(store, runId)).toEqual({ cart: { items: ['tea', 'ghost'] } })
})
