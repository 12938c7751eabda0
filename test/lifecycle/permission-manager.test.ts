import { expect, test } from 'vitest'
import { z } from 'zod'
import { type AnsweredPermission, parseAnswer, type PermissionManager, type PermissionPolicy } from '../../src/ports.ts'
import { createAgent, tool } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'

const noPermission = "[Critical] You don't have the permission to call this tool"
const lodged = '[Critical] Tool blocked - permission required. Request lodged, please retry after approval.'

interface Given {
  readonly policy?: PermissionPolicy
  readonly manager?: Partial<PermissionManager> | 'none'
  readonly rules?: object
  readonly needs?: boolean
  readonly replies?: readonly ScriptedReply[]
  readonly pluginTimeoutMs?: number
}

const call = (name: string, id = name) => ({ id, name, arguments: { id } })

/** Tools a, b and c, all under policy: a is denied, b may be asked for, c is approved. */
function setup({ policy = () => ['a', 'b', 'c'], manager = {}, rules, needs, replies, pluginTimeoutMs }: Given = {}) {
  const log: unknown[] = []
  const granted = new Set(['c'])
  const full: PermissionManager = {
    get: (_, tools) => {
      log.push(['get', tools.map(({ name, calls }) => `${name}×${calls.length}`)])
      return Object.fromEntries(
        tools.map(
          ({ name }) => [name, name === 'a' ? 'denied' : granted.has(name) ? 'approved' : 'requestable'] as const,
        ),
      )
    },
    set: (_, { granted: names, denied, reason }) => {
      log.push(['set', names, denied, ...(reason === undefined ? [] : [reason])])
      for (const name of names) granted.add(name)
    },
    requestBuilder: (whose, tools) => {
      log.push(['request', tools.map(({ name }) => name)])
      return { for: whose.subject, tools: tools.map(({ name }) => name) }
    },
    cleanup: () => void log.push(['cleanup']),
    ...(manager === 'none' ? {} : manager),
  }
  const make = (name: string) =>
    tool({
      name,
      description: name,
      input: z.object({ id: z.string() }),
      ...(needs === true ? { needs: 'approval' as const } : {}),
      execute: ({ id }) => {
        log.push(['run', id])
        return `${id} ran`
      },
    })
  const model = scripted(
    replies ?? [
      { toolCalls: [call('a'), call('b'), call('b', 'b2'), call('c')] },
      ({ messages }) => {
        const last = messages.at(-1)
        log.push(['heard', last?.role, last?.role === 'user' ? last.content : ''])
        return { toolCalls: [call('b', 'again')] }
      },
      'Done.',
    ],
  )
  const store = memoryStore()
  const options = {
    name: 'asker',
    model,
    store,
    tools: ['a', 'b', 'c', 'd'].map(make),
    ...(pluginTimeoutMs === undefined ? {} : { limits: { pluginTimeoutMs } }),
    permissions: {
      policy,
      ...(manager === 'none' ? {} : { manager: full }),
      ...(rules === undefined ? {} : { rules }),
    },
  }
  return { agent: createAgent(options), options, log, store }
}

const textsOf = (messages: readonly object[]) =>
  messages.flatMap((message) =>
    'role' in message && message.role === 'toolResult' && 'content' in message && 'toolCallId' in message
      ? [[message.toolCallId, JSON.stringify(message.content)] as const]
      : [],
  )

test('PERM-03 the whole sequence: one check, one request, the wait, the answer, the retry (A5)', async () => {
  const { agent, log } = setup()
  const run = agent.start('Go', { subject: 'order 7' })
  const waiting = await run.settled()
  expect(waiting.status).toBe('waiting')
  expect(log).toEqual([
    ['get', ['a×1', 'b×2', 'c×1']],
    ['run', 'c'],
    ['request', ['b']],
  ])
  expect(waiting.suspended).toMatchObject([
    {
      isHold: true,
      suspension: { reason: 'permission', parameters: { tools: ['b'], request: { for: 'order 7', tools: ['b'] } } },
    },
  ])
  const texts = new Map(textsOf(waiting.messages))
  expect(texts.get('a')).toContain(noPermission)
  expect(texts.get('b')).toContain(lodged)
  expect(texts.get('b2')).toContain(lodged)
  expect(texts.get('c')).toContain('c ran')
  const receipt = await run.decide([
    { target: waiting.suspended[0]?.callId ?? '', action: 'resume', result: { granted: ['b'] } },
  ])
  expect(receipt).toMatchObject([{ answer: 'applied' }])
  expect((await run.settled()).outcome.reason).toBe('natural_end')
  expect(log.slice(3)).toEqual([
    ['set', ['b'], []],
    ['heard', 'user', [{ type: 'text', text: '[Permission was granted for: b. You may call again.]' }]],
    ['get', ['b×1']],
    ['run', 'again'],
    ['cleanup'],
  ])
})

test('PERM-03 passes the manager and the model the reason of a denied request, and the run continues', async () => {
  const { agent, log } = setup()
  const run = agent.start('Go')
  await run.settled()
  await run.deny(undefined, { reason: 'Not today' })
  const waiting = await run.settled()
  expect(log).toContainEqual(['set', [], ['b'], 'Not today'])
  expect(JSON.stringify(waiting.messages)).toContain('[Permission was denied for: b. Reason: Not today]')
  expect(log.filter((entry) => Array.isArray(entry) && entry[0] === 'run')).toEqual([['run', 'c']])
  expect(waiting.status).toBe('waiting')
})

test.each<[string, unknown]>([
  ['a name nobody asked for', { granted: ['z'] }],
  ['another field', { granted: ['b'], all: true }],
  ['a text', 'yes'],
  ['no list', { granted: 'b' }],
])('PERM-03 refuses an answer with %s, and the run still waits', async (_, result) => {
  const { agent, log } = setup()
  const run = agent.start('Go')
  const { suspended } = await run.settled()
  const target = suspended[0]?.callId ?? ''
  const [receipt] = await run.decide([{ target, action: 'resume', result: result as never }])
  expect(receipt).toMatchObject({ answer: 'refused', message: expect.stringContaining('{ granted: [names] }') })
  expect((await run.result()).status).toBe('waiting')
  expect(log).not.toContainEqual(expect.arrayContaining(['set']))
})

test('PERM-03 PERM-05 refuses a denial that names permissions, with advice, and the run still waits', async () => {
  const { agent, log } = setup()
  const run = agent.start('Go')
  const { suspended } = await run.settled()
  const target = suspended[0]?.callId ?? ''
  const options = { granted: ['b'] }
  await expect(run.deny(target, options as never)).rejects.toMatchObject({
    code: 'bad_option',
    message: expect.stringContaining('Did you mean run.approve(target, { granted })?'),
  })
  const [receipt] = await run.decide([{ target, action: 'cancel', result: { granted: ['b'] } }])
  expect(receipt).toMatchObject({ answer: 'refused', message: expect.stringContaining('reads no "result"') })
  expect(parseAnswer({ approved: true, granted: ['b'] })).toBeUndefined()
  expect(parseAnswer({ approved: false, granted: ['b'] })).toBeUndefined()
  expect((await run.result()).status).toBe('waiting')
  expect(log).not.toContainEqual(expect.arrayContaining(['set']))
})

test('PERM-03 an approval names the granted permissions; the rest is denied, and a call that requests none refuses names', async () => {
  const replies = [{ toolCalls: [call('b'), call('d')] }, { toolCalls: [call('c')] }, 'Done.']
  const policy = () => ['b', 'd']
  const { agent, log } = setup({ policy, replies, rules: { ask: ['c'] } })
  const run = agent.start('Go')
  await run.settled()
  expect((await run.approve(undefined, { granted: ['d'] })).answer).toBe('applied')
  await run.settled()
  expect(log).toContainEqual(['set', ['d'], ['b']])
  expect((await run.approve(undefined, { granted: ['c'] })).answer).toBe('refused')
  await expect(run.approve(undefined, { granted: 'c' as never })).rejects.toMatchObject({ code: 'bad_option' })
})

test('PERM-03 an approval without names grants everything that was requested', async () => {
  const { agent, log } = setup()
  const run = agent.start('Go')
  await run.settled()
  await run.approve()
  expect((await run.settled()).outcome.reason).toBe('natural_end')
  expect(log).toContainEqual(['set', ['b'], []])
})

test.each<[string, Given]>([
  ['there is no manager', { manager: 'none' }],
  ['it gives no answer for a name', { manager: { get: () => ({}) } }],
  ['it gives another word', { manager: { get: () => ({ b: 'yes' }) as never } }],
  ['it gives no object', { manager: { get: () => 'approved' as never } }],
  ['it inherits its answer', { manager: { get: () => Object.create({ b: 'approved' }) as never } }],
  [
    'it throws',
    {
      manager: {
        get: () => {
          throw new Error('down')
        },
      },
    },
  ],
  ['it never answers', { manager: { get: () => new Promise(() => {}) }, pluginTimeoutMs: 5 }],
  [
    'the policy throws',
    {
      policy: () => {
        throw new Error('down')
      },
      manager: 'none',
    },
  ],
  ['the policy gives no list', { policy: () => 'a' as never, manager: 'none' }],
  ['the policy never answers', { policy: () => new Promise(() => {}), manager: 'none', pluginTimeoutMs: 5 }],
])('PERM-02 denies a call if %s', async (_, given) => {
  const { agent, log } = setup({ ...given, replies: [{ toolCalls: [call('b')] }, 'Done.'] })
  const { messages, outcome } = await agent.run('Go')
  expect(outcome.reason).toBe('natural_end')
  expect(textsOf(messages)[0]?.[1]).toContain(noPermission)
  expect(log).not.toContainEqual(['run', 'b'])
})

test('PERM-01 passes the policy all available tools once, and tools that it does not name need no authorisation', async () => {
  const asked: unknown[] = []
  const policy: PermissionPolicy = (tools) => {
    asked.push(tools)
    return ['b', 'gone']
  }
  const replies = [{ toolCalls: [call('a'), call('d')] }, { toolCalls: [call('c')] }, 'Done.']
  const { agent, log } = setup({ policy, replies })
  await agent.run('Go')
  expect(asked).toEqual([{ services: [], mcp: [], tools: ['a', 'b', 'c', 'd'] }])
  expect(log).toEqual([['run', 'a'], ['run', 'd'], ['run', 'c'], ['cleanup']])
})

test('PERM-02 asks the manager before an approval, and before an allowing rule', async () => {
  const blocked = setup({ rules: { allow: ['b'] }, needs: true, replies: [{ toolCalls: [call('b')] }, 'Done.'] })
  const waiting = await blocked.agent.run('Go')
  expect(waiting.suspended).toMatchObject([{ suspension: { reason: 'permission' } }])
  const asked = setup({ needs: true, replies: [{ toolCalls: [call('c')] }, 'Done.'] })
  expect((await asked.agent.run('Go')).suspended).toMatchObject([{ suspension: { reason: 'approval' } }])
})

test('PERM-02 authorises an approved call again before it runs, and makes a request if it is no longer authorised', async () => {
  let answer: 'approved' | 'requestable' = 'approved'
  const { agent, log } = setup({
    manager: { get: () => ({ b: answer }) },
    needs: true,
    replies: [{ toolCalls: [call('b')] }, 'Done.'],
  })
  const run = agent.start('Go')
  await run.settled()
  answer = 'requestable'
  await run.approve()
  const waiting = await run.settled()
  expect(log).toEqual([['request', ['b']]])
  expect(waiting.suspended).toMatchObject([{ suspension: { reason: 'permission' } }])
  expect(textsOf(waiting.messages)[0]?.[1]).toContain(lodged)
})

test.each<[string, Partial<PermissionManager>]>([
  ['requestBuilder', { requestBuilder: () => Promise.reject(new Error('no way')) }],
  ['set', { set: () => Promise.reject(new Error('no way')) }],
])('PERM-03 an error of %s ends the run with a critical error', async (_, manager) => {
  const { agent } = setup({ manager })
  const run = agent.start('Go')
  if ((await run.settled()).status === 'waiting') await run.approve()
  const { outcome } = await run.settled()
  expect(outcome).toMatchObject({
    reason: 'error',
    error: { code: 'permission_failed', message: '[Critical] Permission request failed: no way' },
  })
})

test('PERM-03 a request that is answered in another process reaches the manager under one id, however often', async () => {
  const answers: AnsweredPermission[] = []
  const { agent, options } = setup({ manager: { set: (_, answer) => void answers.push(answer) } })
  const run = agent.start('Go')
  const { suspended } = await run.settled()
  await run.detach()
  const other = await createAgent(options).load(run.id)
  await other.approve()
  await other.settled()
  expect(answers).toMatchObject([{ id: suspended[0]?.suspension?.id, granted: ['b'], denied: [] }])
})
