import { expect, test } from 'vitest'
import type { Run } from '../../../src/index.ts'
import { resultsOf, stateOf, statusesOf } from '../../../proof/support/read-run.ts'
import { toolbox, toolNamed } from '../../../proof/support/tools.ts'
import { runId, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'

const asking = { toolCalls: [{ id: 'c1', name: 'ask', arguments: { n: 0 } }] }

/** A tool that suspends whatever it is given, with a ticket that tells it. */
function questioner() {
  const done: string[] = []
  const ask = toolNamed('ask', (input, { runId: id, suspend }) => {
    done.push(`${id} ${JSON.stringify(input)}`)
    return suspend(ticketOf(input))
  })
  return { done, ask }
}

const ticketOf = (input: unknown) => ({
  message: `Is ${JSON.stringify(input)} right?`,
  parameters: { input: input as { n: number } },
  responseSchema: { type: 'object', properties: { right: { type: 'boolean' } } },
})

/** A run that has waited three times, with an edit after each wait but the last. */
async function waitingThrice() {
  const { done, ask } = questioner()
  const { agent, store } = testAgent({ replies: [asking, 'Bye'], tools: [ask] })
  const run = agent.start('Hi', { runId })
  const waits: number[] = []
  for (const n of [1, 2, 3]) {
    await run.settled()
    waits.push((await store.record(runId)).version)
    if (n < 3) await run.edit(undefined, { n })
  }
  return { agent, store, run, done, waits }
}

test('CKP-08 forks at each of several waits with the arguments and the ticket that the call had there', async () => {
  const { agent, store, run, done, waits } = await waitingThrice()
  const original = await store.calls(runId)
  for (const [n, from] of waits.entries()) {
    const fork = await agent.fork(runId, { from, runId: `fork-${n}` })
    const [call] = (await fork.settled()).suspended
    const { id, ...ticket } = call?.suspension ?? { id: '' }
    expect(id).not.toBe((await run.at(from)).calls[0]?.suspension?.id)
    expect(ticket).toEqual({ reason: 'input', ...ticketOf({ n }) })
    expect(call?.revision).toBe(n)
    expect(call?.editedArguments).toEqual(n === 0 ? undefined : { n })

    await fork.approve()
    await fork.settled()
    expect(done.at(-1)).toBe(`fork-${n} ${JSON.stringify({ n })}`)
  }
  expect(await store.calls(runId)).toEqual(original)
})

test('CKP-08 reads each call at a checkpoint in its state of that time', async () => {
  const { run, waits } = await waitingThrice()
  const calls = (await Promise.all(waits.map((version) => run.at(version)))).map((state) => state.calls)
  expect(calls).toMatchObject([
    [{ callId: '1.c1', status: 'suspended', revision: 0, suspension: ticketOf({ n: 0 }) }],
    [{ revision: 1, editedArguments: { n: 1 }, suspension: ticketOf({ n: 1 }) }],
    [{ revision: 2, editedArguments: { n: 2 }, suspension: ticketOf({ n: 2 }) }],
  ])
  expect(calls[0]?.[0]).not.toHaveProperty('editedArguments')
})

test("CKP-08 forks a fork from the first fork's starting point, with its call's data", async () => {
  const { agent, store, waits } = await waitingThrice()
  await agent.fork(runId, { from: waits[1] ?? 0, runId: 'fork' })
  const again = await agent.fork('fork', { from: (await store.record('fork')).version, runId: 'again' })
  const [call] = (await again.settled()).suspended
  expect(call).toMatchObject({ revision: 1, editedArguments: { n: 1 }, suspension: ticketOf({ n: 1 }) })
})

const calls = (...names: readonly string[]) => ({
  toolCalls: names.map((name, index) => ({ id: `c${index}`, name, arguments: {} })),
})

/** A run whose first call is approved, and ends, while the model answers beside it: it is published after that answer. */
async function settledLate(settings: TestAgentOptions = {}) {
  const { act } = toolbox()
  const pay = toolNamed(
    'pay',
    (_, { patch }) => {
      patch([{ path: ['paid'], value: true }])
      return 'paid'
    },
    { needs: 'approval' },
  )
  const late: { run?: Run } = {}
  const answerLate = async () => {
    if (late.run === undefined) return calls('look')
    const { run } = late
    delete late.run
    const events = run.events()
    await run.approve()
    for await (const { type } of events) if (type === 'call.settled') break
    return calls('look')
  }
  const replies = [calls('pay', 'look'), answerLate, 'Bye', 'Bye']
  const { agent, store } = testAgent({ replies, tools: [pay, act('look', { effects: 'none' })], ...settings })
  late.run = agent.start('Hi', { runId })
  await late.run.settled()
  const run = await agent.load(runId)
  const history = await run.history()
  const settled = await Promise.all(history.map(({ version }) => run.at(version)))
  const at = settled.findIndex(({ calls: [first] }) => first?.status === 'succeeded')
  return { agent, store, run, state: settled[at], from: history[at]?.version ?? 0, names: history[at]?.names }
}

test('CKP-08 applies in a fork the patch of a call that had settled but was published later', async () => {
  const { agent, store, state, from, names } = await settledLate()
  expect(names).toEqual(['AssistantTurnCommitted'])
  expect(state?.state).toEqual({})
  expect(state?.calls[0]).toMatchObject({ placeholder: true, patch: [{ path: ['paid'], value: true }] })
  expect(await stateOf(store, runId)).toEqual({ paid: true })

  const fork = await agent.fork(runId, { from, runId: 'fork' })
  expect((await fork.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(await stateOf(store, 'fork')).toEqual({ paid: true })
  expect(await statusesOf(store, 'fork')).toEqual(await statusesOf(store, runId))
})

test('CKP-08 adds the note about a repeated call once in a fork, even if the original has it too', async () => {
  const { agent, store, from } = await settledLate({ limits: { repeat: 1 } })
  const noted = await resultsOf(store, runId)
  expect(noted['1.c0']).toContain('repeated 1 times')

  const fork = await agent.fork(runId, { from, runId: 'fork' })
  await fork.settled()
  expect(await resultsOf(store, 'fork')).toEqual(noted)
})

test('CKP-04 stores nothing in a checkpoint for a call that is only running, except its actor', async () => {
  const { act } = toolbox()
  const { agent, store } = testAgent({ replies: [calls('look', 'look'), 'Bye'], tools: [act('look')] })
  await agent.run('Hi', { runId })
  for (const { version } of await store.checkpoints(runId)) {
    const { checkpoint } = await store.checkpoint(runId, version)
    expect(Object.keys(JSON.parse(checkpoint?.document ?? '{}'))).toEqual(['schema', 'nextSeq', 'root'])
  }
})
