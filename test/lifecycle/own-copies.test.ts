import { expect, test } from 'vitest'
import * as z from 'zod'
import { createActor, waitFor } from 'xstate'
import type { Json } from '../../src/core/domain/text/json.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import { type AgentEvent, type Plugin, tool } from '../../src/index.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { resultsOf, stateOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox, toolNamed } from '../../proof/support/tools.ts'
import { heldReply, runId, testAgent } from '../../proof/support/test-agent.ts'

/** Multiplies the amount it is given, in place. */
function spoil(input: Json): void {
  const amounts = input as { amount: number }
  amounts.amount *= 100
}

const payment = calls(call('c1', 'pay', { amount: 5 }))

async function argumentsIn(store: Store): Promise<readonly Json[]> {
  const { log } = await store.read(runId)
  return log.flatMap((entry) =>
    entry.kind === 'message' && entry.message.role === 'assistant'
      ? entry.message.content.flatMap((block) => (block.type === 'toolCall' ? block.arguments : []))
      : [],
  )
}

test('DEC-03 replays a call with the approved arguments, even if its tool has changed its copy', async () => {
  const given: Json[] = []
  const pay = toolNamed('pay', (input, { decision, suspend }) => {
    given.push(structuredClone(input))
    spoil(input)
    return decision === undefined ? suspend() : 'paid'
  })
  const held = heldReply()
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'pay', { amount: 5 }), call('c2', 'act')), held.reply, 'Bye'],
    tools: [pay, toolbox().act()],
  })
  const run = agent.start('Hi', { runId })
  const settled = run.settled()
  await held.asked
  await run.approve()
  held.give('So far')
  await settled

  expect(given).toEqual([{ amount: 5 }, { amount: 5 }])
  expect(await argumentsIn(store)).toEqual([{ amount: 5 }, {}])
})

test("TC-02 runs a call with the model's arguments, even if a rule, a schema and a plugin have changed their copies", async () => {
  const given: Json[] = []
  const spoiling = z.unknown().refine((input) => {
    spoil(input as Json)
    return true
  })
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    input: spoiling,
    needs: (input) => {
      spoil(input as Json)
      return false
    },
    execute: () => 'paid',
  })
  const plugin: Plugin = {
    name: 'spoiling',
    gateCall: ({ arguments: input }) => spoil(input),
    reviewCall: ({ arguments: input }) => void given.push(input),
  }
  const { agent, store } = testAgent({ replies: [payment, 'Bye'], tools: [pay], plugins: [plugin] })
  await agent.run('Hi', { runId })

  expect(given).toEqual([{ amount: 5 }])
  expect(await argumentsIn(store)).toEqual([{ amount: 5 }])
})

test('RUN-11 fails a tool that writes to the state it receives; no other code sees the write', async () => {
  const writing = toolNamed('writing', (_, { state }) => {
    const { items } = (state as { cart: { items: string[] } }).cart
    items.push('ghost')
    return 'done'
  })
  const reading = toolNamed('reading', (_, { state, patch }) => {
    patch([{ path: ['seen'], value: true }])
    return JSON.stringify(state)
  })
  const filling = toolNamed('filling', (_, { patch }) => {
    patch([{ path: ['cart'], value: { items: [] } }])
    return 'filled'
  })
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'filling')), calls(call('c2', 'writing'), call('c3', 'reading')), 'Bye'],
    tools: [filling, writing, reading],
  })
  await agent.run('Hi', { runId })

  expect(await resultsOf(store, runId)).toEqual({
    '1.c1': 'filled',
    '2.c2': 'Tool "writing" failed: Cannot add property 0, object is not extensible',
    '2.c3': '{"cart":{"items":[]}}',
  })
  expect(await stateOf(store, runId)).toEqual({ cart: { items: [] }, seen: true })
})

test('RUN-11 ends the run with an error that names a plugin which writes to the state', async () => {
  const plugin: Plugin = {
    name: 'writing',
    beforeModel: ({ state }) => {
      const document = state as { n: number }
      document.n = 1
    },
  }
  const { agent } = testAgent({ replies: ['Bye'], plugins: [plugin] })

  expect((await agent.run('Hi', { runId })).outcome).toEqual({
    reason: 'error',
    error: {
      code: 'effect_failed',
      message: 'Plugin "writing" failed in beforeModel: Cannot add property n, object is not extensible',
    },
  })
})

/** Changes the text of what is told; true where that is refused. */
function refusesRedaction(event: AgentEvent): boolean {
  if (event.type !== 'message.ended' || event.message.role !== 'user') return false
  try {
    const block = event.message.content[0] as { text: string }
    block.text = '[redacted]'
    return false
  } catch (error) {
    return error instanceof TypeError
  }
}

test('RUN-08 prompts the model with the original messages, even if a watcher has changed its events', async () => {
  const { agent, prompts } = testAgent({ replies: [calls(call('c1', 'act')), 'Bye'], tools: [toolbox().act()] })
  const refused: string[] = []
  for await (const event of agent.start('The key is 1234', { runId })) {
    if (refusesRedaction(event)) refused.push(event.type)
  }

  expect(refused).toEqual(['message.ended'])
  expect(prompts.map(([first]) => first)).toEqual(['user: The key is 1234', 'user: The key is 1234'])
})

test("RUN-08 keeps a plugin's message unchanged after it was appended", async () => {
  const content = [{ type: 'text' as const, text: 'Be brief.' }]
  const plugin: Plugin = {
    name: 'reminding',
    stepStart: ({ append, turn }) => {
      if (turn === 1) append({ role: 'user', content, timestamp: 0 })
      else content.splice(0)
    },
  }
  const { agent, prompts } = testAgent({
    replies: [calls(call('c1', 'act')), 'Bye'],
    tools: [toolbox().act()],
    plugins: [plugin],
  })
  await agent.run('Hi', { runId })

  expect(prompts.map(([, second]) => second)).toEqual(['user: Be brief.', 'user: Be brief.'])
})

test('RUN-09 does not change the messages that it is given', async () => {
  const { agent } = testAgent({ replies: ['Bye'] })
  const given = [userMessage('Hi', 0)]
  const actor = createActor(agent.machine, { input: agent.machineInput(given) })
  actor.start()
  await waitFor(actor, (snapshot) => snapshot.status === 'done')

  expect(given.map((message) => [message, message.content[0]].map((part) => Object.isFrozen(part)))).toEqual([
    [false, false],
  ])
})
