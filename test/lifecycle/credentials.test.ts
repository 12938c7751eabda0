import { expect, test } from 'vitest'
import type { Model } from '../../src/index.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import { fakeClock, start } from '../../proof/support/fake-clock.ts'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { eventsOf, runId, stop, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'

const refused: ScriptedReply = { error: { kind: 'auth', message: 'Unauthorized.', status: 401 } }

/** A model that plays replies call by call and asks `refresh` for new credentials. */
function locked(replies: readonly ScriptedReply[], refresh?: () => Promise<void>, id = 'scripted'): Model {
  const model = scripted(replies, { id, by: 'calls', now: () => start })
  return refresh === undefined ? model : { ...model, refreshCredentials: refresh }
}

/** Counts how often it is asked; `act` is what it then does. */
function counted(act: () => Promise<void> = async () => {}) {
  const refresh = {
    times: 0,
    ask: async () => {
      refresh.times++
      await act()
    },
  }
  return refresh
}

/** A refresh that never comes back, and a promise of its beginning. */
function endless() {
  const asked = Promise.withResolvers<void>()
  const refresh = counted(() => {
    asked.resolve()
    return new Promise<never>(() => {})
  })
  return { refresh, asked: asked.promise }
}

const failure = (message: string) => ({ reason: 'error', error: { code: 'auth_error', message } })
const natural = { reason: 'natural_end' }
const refreshFailed = 'The model scripted/scripted refused its credentials, and refreshing them failed'

test.for<{
  readonly given: string
  readonly replies: readonly ScriptedReply[]
  readonly act?: () => Promise<void>
  readonly hasHook?: boolean
  readonly refreshes: number
  readonly modelCalls: number
  readonly outcome: unknown
}>([
  { given: '401, then success', replies: [refused, 'Hi.'], refreshes: 1, modelCalls: 2, outcome: natural },
  { given: '401 twice', replies: [refused, refused], refreshes: 1, modelCalls: 2, outcome: failure('Unauthorized.') },
  {
    given: '401 without a hook',
    replies: [refused],
    hasHook: false,
    refreshes: 0,
    modelCalls: 1,
    outcome: failure('Unauthorized.'),
  },
  {
    given: '401 and a hook that throws',
    replies: [refused],
    act: () => Promise.reject(new Error('The token server is down.')),
    refreshes: 1,
    modelCalls: 1,
    outcome: failure(`${refreshFailed}: The token server is down.`),
  },
  {
    given: '401 in each of two model calls',
    replies: [refused, calls(call('c1', 'act')), refused, 'Hi.'],
    refreshes: 2,
    modelCalls: 4,
    outcome: natural,
  },
  {
    given: '401 in the middle of an answer that is continued',
    replies: [{ text: 'Hi', stopReason: 'length' }, refused, '.'],
    refreshes: 1,
    modelCalls: 3,
    outcome: natural,
  },
])(
  'PRV-05 refreshes refused credentials once for each model call: $given (L2)',
  async ({ replies, act, hasHook, ...wanted }) => {
    const refresh = counted(act)
    const model = locked(replies, hasHook === false ? undefined : refresh.ask)
    const { agent, prompts } = testAgent({ model, tools: [toolbox().act()] })
    const { outcome, text } = await agent.run('Hi', { runId })
    const given = { given: wanted.given, refreshes: refresh.times, modelCalls: prompts.length, outcome }

    expect(given).toEqual(wanted)
    expect(text).toBe(outcome.reason === 'natural_end' ? 'Hi.' : '')
  },
)

test('PRV-05 PRV-10 refreshes the credentials of the fallback model that was refused, not of the first model', async () => {
  const [first, second] = [counted(), counted()]
  const { agent } = testAgent({
    model: locked([{ error: { kind: 'network', message: 'down' } }], first.ask),
    fallbackModels: [locked([refused, 'From the other.'], second.ask, 'other')],
    retry: { maxRetries: 0 },
  })

  expect((await agent.run('Hi', { runId })).text).toBe('From the other.')
  expect([first.times, second.times]).toEqual([0, 1])
})

test('PRV-05 EVT-01 reports the refused attempt once, without a time for another', async () => {
  const { agent } = testAgent({ model: locked([refused, 'Hi.'], counted().ask) })
  const events = await eventsOf(agent.start('Hi', { runId }))

  expect(events.filter(({ type }) => type === 'model.failed')).toEqual([
    {
      type: 'model.failed',
      seq: 5,
      runId,
      subject: runId,
      at: start,
      turn: 1,
      error: { code: 'auth_error', message: 'Unauthorized.' },
      retryAt: null,
    },
  ])
})

test('PRV-05 RUN-07 cancels a run while credentials are refreshed, even if the hook never returns', async () => {
  const { refresh, asked } = endless()
  const { agent, store, prompts } = testAgent({ model: locked([refused, 'Hi.'], refresh.ask) })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await asked
  await run.cancel()

  expect((await end).outcome).toEqual({ reason: 'cancelled' })
  expect(prompts.length).toBe(1)
  expect(await transcriptOf(store, runId)).toEqual(['user: Hi', 'user: [Run cancelled while the model was answering.]'])
})

test('PRV-05 TST-03 asks and refreshes again if the process died before the refresh was stored', async () => {
  const { refresh, asked } = endless()
  const { agent, store } = testAgent({ model: locked([refused], refresh.ask) })
  const run = agent.start('Hi', { runId })
  const driving = run.settled()
  await asked
  await stop(run, driving)

  const again = counted()
  const later = testAgent({ model: locked([refused, 'Hi.'], again.ask), store, process: 'p2' })
  expect(await (await later.agent.load(runId)).settled()).toMatchObject({ text: 'Hi.', outcome: natural })
  expect([again.times, later.prompts.length]).toEqual([1, 2])
})

test.for<{
  readonly given: string
  readonly next: ScriptedReply
  readonly modelCalls: number
  readonly outcome: unknown
}>([
  { given: 'accepted', next: 'Bye.', modelCalls: 2, outcome: natural },
  { given: 'refused, as the one refresh was made', next: refused, modelCalls: 1, outcome: failure('Unauthorized.') },
])('PRV-05 TST-03 refreshes again if the process died in a refresh that was stored; $given', async (row) => {
  const { next, modelCalls, outcome } = row
  const { refresh, asked } = endless()
  const clock = fakeClock()
  const { act } = toolbox()
  const options: TestAgentOptions = { clock, tools: [act(), act('gated', { needs: 'approval' })] }
  const first = calls(call('c1', 'act'), call('c2', 'gated'))
  const { agent, store } = testAgent({ ...options, model: locked([first, refused], refresh.ask) })
  const run = agent.start('Hi', { runId })
  const driving = run.settled()
  await asked
  const isStored = Promise.withResolvers<void>()
  const watching = (async () => {
    for await (const event of run) if (event.type === 'call.settled' && event.callId === '1.c2') isStored.resolve()
  })()
  await run.deny('1.c2')
  await isStored.promise
  await stop(run, driving)
  await watching.catch(() => undefined)

  const again = counted()
  const later = testAgent({ ...options, model: locked([next, 'Bye.'], again.ask), store, process: 'p2' })
  expect((await (await later.agent.load(runId)).settled()).outcome).toEqual(outcome)
  expect([again.times, later.prompts.length]).toEqual([1, modelCalls])
})
