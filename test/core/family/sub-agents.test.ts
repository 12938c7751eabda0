import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Agent, createAgent, type Store, tool } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'

const done: string[] = []
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ to: z.string() }),
  needs: 'approval',
  execute: ({ to }, { callId }) => {
    done.push(`${callId} paid ${to}`)
    return `Paid ${to}`
  },
})
const call = (id: string, name: string, given: object) => ({ toolCalls: [{ id, name, arguments: given as never }] })

interface TeamOptions {
  readonly store?: Store
  readonly helper?: readonly ScriptedReply[]
  readonly boss?: readonly ScriptedReply[]
  readonly rules?: {
    readonly deny?: readonly string[]
    readonly ask?: readonly string[]
    readonly allow?: readonly string[]
  }
}

/** A boss with a helper, which pays. */
function team({ store = memoryStore(), helper, boss, rules }: TeamOptions = {}): Agent {
  done.length = 0
  const helping = createAgent({
    name: 'helper',
    model: scripted(helper ?? [call('p', 'pay', { to: 'Ada' }), 'Ada is paid.']),
    tools: [pay],
  })
  return createAgent({
    name: 'boss',
    store,
    model: scripted(boss ?? [call('h', 'help', { prompt: 'Pay Ada.' }), 'All is done.']),
    tools: [helping.asTool({ name: 'help', description: 'Helps.' })],
    ...(rules === undefined ? {} : { permissions: { rules } }),
  })
}

describe('AGT-05 sub-agents', () => {
  test('AGT-05 a sub-agent works as a tool in its own run, with its own transcript and a linked id', async () => {
    const store = memoryStore()
    const agent = team({ store, helper: [({ messages }) => `I saw ${messages.length} message.`] })
    const run = agent.start('Go.', { runId: 'r1', userId: 'ann', subject: 'bills' })
    const events = []
    for await (const event of run) events.push(event)
    const result = await run.result()
    expect(result).toMatchObject({ status: 'done', text: 'All is done.' })
    const [answer] = result.messages.filter(({ role }) => role === 'toolResult')
    const childRunId = answer?.role === 'toolResult' ? answer.childRunId : undefined
    expect(answer).toMatchObject({
      content: [{ text: 'I saw 1 message.' }],
      childRunId: expect.stringMatching(/^r1\.\d+\.sub\.1$/),
    })
    const stored = await store.read(childRunId ?? '')
    expect(stored.record).toMatchObject({ agent: 'boss/helper', status: 'done', subject: 'bills' })
    expect(stored.input).toMatchObject({
      userId: 'ann',
      parentRunId: 'r1',
      family: { parentRunId: 'r1', callId: '1.h', level: 2 },
    })
    expect(events.find(({ type }) => type === 'call.settled')).toMatchObject({ callId: '1.h', childRunId })
    expect((await agent.runs()).map(({ id }) => id)).toEqual(['r1'])
  })

  test('AGT-05 a sub-agent that asks is answered at the top, in another process, and its parent continues', async () => {
    const store = memoryStore()
    const waiting = await team({ store }).run('Go.', { runId: 'r1' })
    expect(waiting).toMatchObject({
      status: 'waiting',
      suspended: [{ toolName: 'pay', callId: expect.stringMatching(/^r1\.\d+\.sub\.1\/1\.p$/) }],
    })
    const second = team({ store })
    const listed = (await second.suspended()).map((one) =>
      'calls' in one ? [one.record.agent, one.calls.map(({ callId }) => callId)] : [],
    )
    expect(listed).toEqual([['boss/helper', ['1.p']]])
    const run = await second.load('r1')
    expect((await run.approve()).answer).toBe('applied')
    expect(await run.settled()).toMatchObject({ status: 'done', text: 'All is done.' })
    expect(done).toEqual(['1.p paid Ada'])
    expect((await run.approve(waiting.suspended[0]?.callId)).answer).toBe('duplicate')
  })

  test('AGT-05 a sub-agent accepts a denial by its address, and several answers at once', async () => {
    const store = memoryStore()
    const { suspended } = await team({ store }).run('Go.', { runId: 'r1' })
    const run = await team({ store }).load('r1')
    const target = suspended[0]?.callId ?? ''
    const decision = { target, action: 'cancel' as const, decisionId: 'd1' }
    expect((await run.decide([decision])).map(({ answer, target: named }) => [answer, named])).toEqual([
      ['applied', target],
    ])
    expect((await run.decide([decision]))[0]?.answer).toBe('duplicate')
    expect(await run.settled()).toMatchObject({ status: 'done', text: 'All is done.' })
    expect(done).toEqual([])
  })

  test.each([
    ['nobody/1.p', 'unknown'],
    ['/', 'unknown'],
    ['r1/1.h', 'unknown'],
    ['../r1/1.p', 'unknown'],
    ['other/1.p', 'unknown'],
  ])('AGT-05 a sub-agent has no call %j: %s', async (target, answer) => {
    const store = memoryStore()
    await team({ store }).run('Go.', { runId: 'other' })
    await team({ store }).run('Go.', { runId: 'r1' })
    const run = await team({ store }).load('r1')
    expect((await run.decide([{ target, action: 'resume' }]))[0]?.answer).toBe(answer)
    expect((await run.result()).status).toBe('waiting')
  })

  test('AGT-05 a sub-agent refuses an answer to the call that waits for it, and lists its own open calls', async () => {
    const store = memoryStore()
    await team({ store }).run('Go.', { runId: 'r1' })
    const run = await team({ store }).load('r1')
    const [receipt] = await run.decide([{ target: '1.h', action: 'resume', result: 'mine' }])
    expect(receipt).toMatchObject({ answer: 'refused', message: expect.stringContaining('.sub.1/') })
  })

  test('AGT-05 a sub-agent is cancelled with its parent, and with its call', async () => {
    for (const end of ['run', 'call'] as const) {
      const store = memoryStore()
      const { suspended } = await team({ store }).run('Go.', { runId: 'r1' })
      const member = suspended[0]?.callId.split('/')[0] ?? ''
      const agent = team({ store })
      const run = await agent.load('r1')
      if (end === 'run') await run.cancel()
      else await run.cancelCall('1.h')
      expect((await run.settled()).status).toBe('done')
      await agent.close({ drainMs: 1000 })
      expect(await store.record(member)).toMatchObject({ status: 'done', doneReason: 'cancelled' })
    }
    expect(done).toEqual([])
  })

  test('AGT-05 a sub-agent that fails returns an error with its last text', async () => {
    const agent = team({ helper: [() => Promise.reject(new Error('broken'))] })
    const { messages } = await agent.run('Go.')
    const answer = messages.find(({ role }) => role === 'toolResult')
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^\[The sub-agent 'help' ended: /) }],
    })
  })

  test('AGT-05 a sub-agent three levels deep is answered at the top, and a worker continues its parents', async () => {
    const store = memoryStore()
    const make = () => {
      done.length = 0
      const low = createAgent({ name: 'low', model: scripted([call('p', 'pay', { to: 'Ada' }), 'Low.']), tools: [pay] })
      const middle = createAgent({
        name: 'middle',
        model: scripted([call('l', 'low', { prompt: 'Pay.' }), 'Middle.']),
        tools: [low.asTool({ description: 'Pays.' })],
      })
      return createAgent({
        name: 'top',
        store,
        model: scripted([call('m', 'middle', { prompt: 'Pay.' }), 'Top.']),
        tools: [middle.asTool({ description: 'Has it paid.' })],
      })
    }
    const { suspended } = await make().run('Go.', { runId: 'r1' })
    expect(suspended.map(({ callId }) => callId)).toEqual([
      expect.stringMatching(/^r1\.\d+\.sub\.1\.\d+\.sub\.1\/1\.p$/),
    ])
    const top = make()
    const run = await top.load('r1')
    expect((await run.approve()).answer).toBe('applied')
    const worker = createWorker({ agents: [top], store })
    expect(await run.settled({ follow: true })).toMatchObject({ status: 'done', text: 'Top.' })
    await worker.drain()
    expect(done).toEqual(['1.p paid Ada'])
    const runs = await store.list({})
    expect(runs.map((one) => ('status' in one ? [one.agent, one.status] : []))).toEqual([
      ['top/middle/low', 'done'],
      ['top/middle', 'done'],
      ['top', 'done'],
    ])
  })
})

describe('PERM-06 rules', () => {
  test('PERM-06 a sub-agent may not do what its parent denies', async () => {
    const agent = team({ rules: { deny: ['pay'] } })
    expect(await agent.run('Go.')).toMatchObject({ status: 'done' })
    expect(done).toEqual([])
  })

  test('PERM-06 a sub-agent still asks about what its parent allows, and also about what its parent asks about', async () => {
    const allowing = await team({ rules: { allow: ['pay', 'help'] } }).run('Go.')
    expect(allowing.suspended.map(({ toolName }) => toolName)).toEqual(['pay'])
    const asking = await team({ rules: { ask: ['pay(to = Ada)'] } }).run('Go.')
    expect(asking.suspended[0]?.suspension).toMatchObject({ reason: 'approval', rule: 'pay(to = Ada)' })
  })
})
