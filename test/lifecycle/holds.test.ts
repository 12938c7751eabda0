import { expect, test } from 'vitest'
import { call, calls, say } from '../../proof/support/say.ts'
import { runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'
import type { AgentEvent, Run } from '../../src/index.ts'
import type { AnsweredPermission } from '../../src/ports.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'

const down = { error: { kind: 'network', message: 'No route to host' } } as const

interface Held {
  /** The options of the agent; each of its runs is held once. */
  options(): TestAgentOptions
  /** The texts of the transcript once the hold is approved, and once it is denied. */
  readonly approved: readonly string[]
  readonly denied: readonly string[]
}

const blocked =
  'result 1.c1 (error): [Critical] Tool blocked - permission required. Request lodged, please retry after approval.'

const holds: Record<string, Held> = {
  'a plugin': {
    options: () => ({
      replies: ['Bye'],
      plugins: [{ name: 'asking', runStart: ({ isResumed, suspend }) => void (isResumed || suspend()) }],
    }),
    approved: ['user: Hi', 'assistant: Bye'],
    denied: ['user: Hi'],
  },
  'a manager of permissions': {
    options: () => ({
      replies: [calls(call('c1', 'act')), 'Bye'],
      tools: [toolbox().act()],
      permissions: { policy: () => ['act'], manager: { get: () => ({ act: 'requestable' }) } },
    }),
    approved: [
      'user: Hi',
      'assistant: calls 1.c1 act',
      blocked,
      'user: [Permission was granted for: act. You may call again.]',
      'assistant: Bye',
    ],
    denied: [
      'user: Hi',
      'assistant: calls 1.c1 act',
      blocked,
      'user: [Permission was denied for: act. Reason: Ask me on Monday.]',
      'assistant: Bye',
    ],
  },
  'a model that cannot be reached': {
    options: () => {
      let isUp = false
      const model = scripted([() => (isUp ? 'Bye' : ((isUp = true), down))])
      return { model, onModelFailure: 'wait', retry: { maxRetries: 0 } }
    },
    approved: ['user: Hi', 'assistant: Bye'],
    denied: ['user: Hi'],
  },
}

const answers = {
  approved: (run: Run) => run.approve(),
  denied: (run: Run) => run.deny(undefined, { reason: 'Ask me on Monday.' }),
}

test.each(Object.keys(holds).flatMap((by) => (['approved', 'denied'] as const).map((answer) => [by, answer] as const)))(
  'RUN-03 PRV-09 no readable transcript contains a hold by %s that is %s',
  async (by, answer) => {
    const held = holds[by] as Held
    const { agent, prompts } = testAgent({ ...held.options() })
    const session = agent.session('talk')
    const events: AgentEvent[] = []
    agent.on((event) => void events.push(event))
    const run = await session.prompt('Hi')
    expect((await run.settled()).suspended).toMatchObject([{ isHold: true }])
    expect((await answers[answer](run)).answer).toBe('applied')
    const result = await run.settled()
    const said = held[answer]
    expect(result.messages.map(say)).toEqual(said)
    expect((await run.messages()).map(say)).toEqual(said)
    expect((await session.messages()).map(say)).toEqual(said)
    for (const prompt of prompts) expect(prompt).toEqual(said.slice(0, prompt.length))
    const told = events.flatMap((event) => (event.type === 'message.ended' ? [say(event.message)] : []))
    expect(told.toSorted()).toEqual(said.toSorted())
    const places = events.flatMap((event) => (event.type === 'message.ended' ? event.place : []))
    expect(places).toEqual(result.messages.map(({ place }) => place))
    const saved = await session.save()
    const restored = await agent.session('other').restore(saved)
    expect(restored).toMatchObject({ messages: said.length, leftOut: [], repaired: [] })
  },
)

test.each([
  ['deny', 'Ask me on Monday.', { granted: [], denied: ['act'], reason: 'Ask me on Monday.' }],
  ['deny', undefined, { granted: [], denied: ['act'] }],
  ['approve', 'As ever.', { granted: ['act'], denied: [], reason: 'As ever.' }],
  ['cancelCall', 'Too late.', { granted: [], denied: ['act'], reason: 'Too late.' }],
] as const)('PERM-03 passes the manager the reason of an answer: %s, %s', async (verb, reason, answer) => {
  const told: AnsweredPermission[] = []
  const { options } = holds['a manager of permissions'] as Held
  const manager = {
    get: () => ({ act: 'requestable' as const }),
    set: (_: unknown, one: AnsweredPermission) => void told.push(one),
  }
  const { agent } = testAgent({ ...options(), permissions: { policy: () => ['act'], manager } })
  const run = agent.start('Hi', { runId })
  const { suspended } = await run.settled()
  const target = suspended[0]?.callId ?? ''
  if (verb === 'deny') await run.deny(target, reason === undefined ? {} : { reason })
  else if (verb === 'approve') await run.approve(target, { reason })
  else await run.cancelCall(target, reason)
  await run.settled()
  const id = suspended[0]?.suspension?.id ?? ''
  const request = [{ name: 'act', calls: [{ callId: '1.c1', arguments: {} }] }]
  expect(told).toEqual([{ id, request, ...answer }])
})

const stopped = { reason: 'stopped', code: 'model_unavailable' }
const ended = { reason: 'plugin_requested' }
const said = { error: { code: 'hold_denied', message: 'Ask me on Monday.' } }

test.each([
  ['a model that cannot be reached', 'Ask me on Monday.', { ...stopped, ...said }],
  ['a model that cannot be reached', undefined, stopped],
  ['a plugin', 'Ask me on Monday.', { ...ended, ...said }],
  ['a plugin', undefined, ended],
] as const)('RUN-05 the outcome has the reason of a denied hold by %s: %s', async (by, reason, outcome) => {
  const { agent } = testAgent((holds[by] as Held).options())
  const ends: unknown[] = []
  agent.on((event) => void (event.type === 'run.ended' && ends.push(event.outcome)))
  const run = agent.start('Hi', { runId })
  await run.settled()
  await run.deny(undefined, reason === undefined ? {} : { reason })
  expect((await run.settled()).outcome).toEqual(outcome)
  expect(ends).toEqual([outcome])
  expect((await (await agent.load(runId)).result()).outcome).toEqual(outcome)
})

test('RUN-05 a hold that expires ends its run, and the outcome reports it', async () => {
  const suspend = { expiresAt: 5_000 }
  const { agent, clock } = testAgent({
    replies: ['Bye'],
    plugins: [{ name: 'asking', runStart: (context) => void (context.isResumed || context.suspend(suspend)) }],
  })
  await agent.run('Hi', { runId })
  clock.advance(10_000_000)
  const { outcome } = await (await agent.load(runId)).settled()
  const message = '[Cancelled: no decision came before the request expired.]'
  expect(outcome).toEqual({ reason: 'plugin_requested', error: { code: 'hold_denied', message } })
})

test.each(['a plugin', 'a model that cannot be reached'])(
  'DEC-03 refuses a value for a hold by %s, because nothing would read it, and the run still waits',
  async (by) => {
    const { agent } = testAgent((holds[by] as Held).options())
    const run = agent.start('Hi', { runId })
    await run.settled()
    expect(await run.respond(undefined, 'Yes')).toMatchObject({
      answer: 'refused',
      message: 'The run itself waits, and takes no value. Approve it to continue the run, or deny it to end the run.',
    })
    expect((await run.result()).status).toBe('waiting')
  },
)
