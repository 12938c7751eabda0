import { createActor, toPromise, waitFor } from 'xstate'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'
import { call, calls } from '../../proof/support/say.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { ModelError } from '../../src/core/domain/model-error.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'

const down = { error: { kind: 'network', message: 'No route to host' } } as const
const waits: TestAgentOptions = { onModelFailure: 'wait', retry: { maxRetries: 0 } }

/** Fails so often, then answers; whatever the transcript says. */
function outage(times: number, ...after: readonly ScriptedReply[]) {
  let asked = 0
  const failing: ScriptedReply = (request, ...rest) => {
    if (asked++ < times) return down
    const reply = after[asked - times - 1] ?? 'Bye'
    return typeof reply === 'function' ? reply(request, ...rest) : reply
  }
  return scripted(failing)
}

test('RUN-06 sixty failed requests cost no turn and no interaction, and leave the transcript unchanged', async () => {
  const { agent } = testAgent({ ...waits, model: outage(60), limits: { maxTurns: 2, maxToolInteractions: 2 } })
  const run = agent.start('Hi', { runId })
  for (let time = 0; time < 60; time++) {
    const { status, messages, toolInteractions, turns } = await run.settled()
    expect({ status, messages: messages.map(({ role }) => role), current: toolInteractions.current, turns }).toEqual({
      status: 'waiting',
      messages: ['user'],
      current: 0,
      turns: 0,
    })
    expect((await run.approve()).answer).toBe('applied')
  }
  const ended = await run.settled()
  expect(ended).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Bye', turns: 1 })
  expect(ended.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect((await run.result()).messages).toEqual(ended.messages)
})

test('RUN-06 EVT-01 an undone turn keeps its number at each attempt, and no event contains a message of the wait', async () => {
  const turns: unknown[] = []
  const { agent } = testAgent({
    ...waits,
    model: outage(1),
    plugins: [{ name: 'heard', beforeModel: ({ turn }) => void turns.push(turn) }],
  })
  const run = agent.start('Hi', { runId, drive: false })
  const first = await eventsOf(run)
  await run.approve()
  const second = await eventsOf(run)
  const told = [...first, ...second]
  expect(told.flatMap((event) => (event.type.startsWith('turn.') && 'turn' in event ? [event.turn] : []))).toEqual([
    1, 1, 1, 1,
  ])
  expect(turns).toEqual([1, 1])
  const said = told.flatMap((event) => (event.type === 'message.ended' ? event.message.role : []))
  expect(said).toEqual(['user', 'assistant'])
  expect(second.at(-1)).toMatchObject({ type: 'run.ended', turns: 1 })
})

test("RUN-06 calls and the wait after them keep their places: the turn's results belong to its calls", async () => {
  const { act } = toolbox()
  const { agent } = testAgent({ ...waits, tools: [act()], replies: [calls(call('c1', 'act')), down] })
  const run = agent.start('Hi', { runId })
  await run.settled()
  await run.deny()
  const { outcome, messages } = await run.settled()
  expect(outcome).toEqual({ reason: 'stopped', code: 'model_unavailable' })
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult'])
})

test.each(['respond', 'pass'] as const)('RUN-06 DEC-06 refuses "%s" for the wait for a model', async (verb) => {
  const { agent } = testAgent({ ...waits, model: outage(1) })
  const run = agent.start('Hi', { runId })
  const { suspended } = await run.settled()
  const callId = suspended[0]?.callId ?? ''
  const receipt = await run[verb](callId, 'Here is the answer.')
  expect(receipt).toMatchObject({
    answer: 'refused',
    message: expect.stringContaining('Approve it to continue the run, or deny it to end the run.'),
  })
  expect((await run.result()).status).toBe('waiting')
  expect((await run.approve()).answer).toBe('applied')
  expect((await run.settled()).text).toBe('Bye')
})

test('RUN-06 a cancel ends a run that waits for its model', async () => {
  const { agent } = testAgent({ ...waits, model: outage(1) })
  const run = agent.start('Hi', { runId })
  await run.settled()
  await run.cancel()
  const { outcome, messages } = await run.settled()
  expect(outcome).toEqual({ reason: 'cancelled' })
  expect(messages.map(({ role }) => role)).toEqual(['user'])
})

test.each<[string, ModelError]>([
  ['a wrong key', new ModelError('auth', 'Invalid x-api-key.', { status: 401 })],
  ['a wrong key that is told as a bad request', new ModelError('api', 'API key not valid.', { status: 400 })],
  ['a name no server has', new ModelError('api', 'Not found.', { status: 404 })],
  ['a name that is told as a bad request', new ModelError('api', 'Model Not Exist', { status: 400 })],
  ['an empty account', new ModelError('api', 'Insufficient Balance', { status: 402 })],
])('RUN-06 waits for another model after %s, and another process continues with it', async (_, error) => {
  const store = sqliteStore(`${await temporaryFolder()}/runs.db`)
  const first = testAgent({ ...waits, store, replies: [{ error }] })
  const held = await first.agent.run('Hi', { runId })
  expect(held).toMatchObject({
    status: 'waiting',
    suspended: [{ suspension: { reason: 'model_unavailable', message: error.message } }],
  })
  const second = testAgent({ ...waits, store, process: 'p2', replies: ['Bye'] })
  const again = await second.agent.load(runId)
  await again.approve()
  const { text, turns, messages } = await again.settled()
  expect({ text, turns, roles: messages.map(({ role }) => role) }).toEqual({
    text: 'Bye',
    turns: 1,
    roles: ['user', 'assistant'],
  })
  await store.close()
})

test('RUN-06 waits if credentials were refused and no new ones are available', async () => {
  const model = {
    ...scripted([{ error: { kind: 'auth', message: 'Expired.' } }]),
    refreshCredentials: () => Promise.reject(new Error('The vault is shut.')),
  }
  const { agent } = testAgent({ ...waits, model })
  const { status, suspended } = await agent.run('Hi')
  expect(status).toBe('waiting')
  expect(suspended[0]?.suspension?.message).toContain('The vault is shut.')
})

test('RUN-06 RUN-09 a bare actor waits for its model, refuses a value as the answer, and continues in the same turn', async () => {
  const { agent } = testAgent({ ...waits, model: outage(1), limits: { maxTurns: 1 } })
  const actor = createActor(agent.machine, { input: 'Hi' })
  actor.start()
  const { context } = await waitFor(actor, ({ value }) => value === 'waiting')
  expect(context.turn).toBe(0)
  const target = Object.keys(context.calls)[0] ?? ''
  expect(await agent.decide(actor, [{ target, action: 'resume', result: 'x' }])).toMatchObject([{ answer: 'refused' }])
  expect(await agent.decide(actor, [{ target, action: 'resume' }])).toMatchObject([{ answer: 'applied' }])
  expect((await toPromise(actor)).outcome).toEqual({ reason: 'natural_end' })
})

test('RUN-06 PH-02 calls afterTurn again for each undone turn', async () => {
  const asked: string[] = []
  const { agent } = testAgent({
    ...waits,
    model: outage(1),
    plugins: [
      {
        name: 'hooks',
        beforeTurn: ({ turn }) => void asked.push(`before ${turn}`),
        afterTurn: () => void asked.push('after'),
      },
    ],
  })
  const run = agent.start('Hi')
  await run.settled()
  await run.approve()
  await run.settled()
  expect(asked).toEqual(['before 1', 'after', 'before 1', 'after'])
})
