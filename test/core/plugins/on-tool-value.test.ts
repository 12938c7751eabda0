import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { heldTool, toolNamed } from '../../../proof/support/tools.ts'
import { eventsOf, runId, testAgent } from '../../../proof/support/test-agent.ts'
import type { AgentEvent, Plugin, Tool } from '../../../src/index.ts'
import type { ServiceEvent } from '../../../src/core/services/index.ts'
import type { ToolValue } from '../../../src/ports.ts'
import { redactSecrets } from '../../../src/core/plugins/index.ts'
import type { ToolContext, ToolReturn } from '../../../src/core/ports/tool.ts'
import { banking, done } from '../services/banking.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'

const secret = 'hunter2-hunter2'
const text = (said: string) => [{ type: 'text' as const, text: said }]

/** The values of a tool, by the way in which they arrive. */
const ways: readonly [string, (context: ToolContext) => ToolReturn | Promise<ToolReturn>][] = [
  ['a text', () => secret],
  ['JSON', () => ({ token: secret })],
  ['a result with details', () => ({ content: text(`as ${secret}`), details: { key: secret } })],
  ['a field of a result nobody knows', () => ({ content: text('as'), token: secret })],
  ['an error', () => ({ content: text(secret), status: 'error' })],
  [
    'a throw',
    () => {
      throw new Error(secret)
    },
  ],
  [
    'progress and an update',
    ({ progress, update }) => {
      progress(`${'x'.repeat(9_995)}${secret}`)
      update({ content: text(secret) })
      update(secret)
      return 'Done.'
    },
  ],
  ['a question', ({ suspend }) => suspend({ message: secret, parameters: { url: secret } })],
  ['a result that is pending', () => ({ content: text(secret), status: 'pending' })],
]

interface Told {
  readonly store: ReturnType<typeof sqliteStore>
  readonly file: string
  readonly events: readonly AgentEvent[]
}

/** A run whose one call is of `tool`, and all that was told of it. */
async function played(tool: Tool, plugins: readonly Plugin[]): Promise<Told> {
  const file = join(await temporaryFolder(), 'runs.db')
  const store = sqliteStore(file)
  const options = { replies: [calls(call('c1', 'login')), 'Bye'], tools: [tool], plugins }
  const { agent } = testAgent({ ...options, store })
  return { store, file, events: await eventsOf(agent.start('Hi', { runId })) }
}

/** The contents of a runs file on disk, before and after it is closed. */
async function bytesOf({ store, file }: Told): Promise<string> {
  const read = () =>
    [file, `${file}-wal`]
      .filter((name) => existsSync(name))
      .map((name) => readFileSync(name, 'latin1'))
      .join('\n')
  const open = read()
  await store.close()
  return open + read()
}

describe('PH-01 secrets', () => {
  test.each(ways)('PH-01 neither stores nor emits a secret that a tool returns as %s', async (_, execute) => {
    const output = z.looseObject({})
    const told = await played(
      toolNamed('login', (_input, context) => execute(context), { output }),
      [redactSecrets([{ name: 'TOKEN', value: secret }])],
    )
    const events = JSON.stringify(told.events)
    const bytes = await bytesOf(told)
    expect(bytes).toContain('login')
    expect(bytes).not.toContain('hunter2')
    expect(events).not.toContain('hunter2')
  })

  test('PH-01 neither stores nor emits a secret in the preview of a call', async () => {
    const needs = { needs: 'approval' as const, preview: () => ({ before: secret }) }
    const told = await played(
      toolNamed('login', () => 'Done.', needs),
      [redactSecrets([{ name: 'TOKEN', value: secret }])],
    )
    expect(JSON.stringify(told.events)).toContain('"preview":{"before":"[secret TOKEN]"}')
    expect(await bytesOf(told)).not.toContain('hunter2')
  })

  test('PH-01 DEC-06 neither stores nor emits a secret in a call that asks again because its tool has changed', async () => {
    const file = join(await temporaryFolder(), 'runs.db')
    const store = sqliteStore(file)
    const given = { replies: [calls(call('c1', 'login')), 'Bye'], store }
    const plugins = [redactSecrets([{ name: 'TOKEN', value: secret }])]
    const needs = { needs: 'approval' as const }
    await testAgent({ ...given, plugins, tools: [toolNamed('login', () => 'Done.', needs)] }).agent.run('Hi', { runId })
    const changed = { ...needs, description: 'Does more.', preview: () => ({ before: secret }) }
    const { agent } = testAgent({
      ...given,
      plugins,
      tools: [toolNamed('login', () => 'Done.', changed)],
      process: 'p2',
    })
    const run = await agent.load(runId)
    await run.approve('1.c1')
    const { suspended } = await run.settled()
    expect(suspended).toMatchObject([{ suspension: { preview: { before: '[secret TOKEN]' } } }])
    expect(await bytesOf({ store, file, events: [] })).not.toContain('hunter2')
  })

  test("PH-01 SVC-01 neither stores nor emits a secret in a service's answer, however it arrives", async () => {
    const plugins = [redactSecrets([{ name: 'TOKEN', value: secret }])]
    const holding = (asked: ServiceEvent | undefined) => done(asked, { data: { receipt: secret } })
    const received = banking({ plugins })
    await received.start()
    await received.agent.receive(holding((await received.sent())[0]))
    const posted = banking({ plugins })
    await posted.start()
    const body = holding((await posted.sent())[0]) as never
    await posted.store.post(runId, { kind: 'serviceAnswer', body }, posted.clock.now())
    for (const { agent, prompts } of [received, posted]) {
      const { messages } = await (await agent.load(runId)).settled()
      expect(JSON.stringify(messages)).not.toContain('hunter2')
      expect(prompts[1]?.join('\n')).toContain('[secret TOKEN]')
    }
  })

  test("PH-01 DEC-05 neither stores nor emits a secret in a person's answer", async () => {
    const file = join(await temporaryFolder(), 'runs.db')
    const store = sqliteStore(file)
    const output = z.object({ token: z.string() })
    const asking = toolNamed('login', (_, { suspend }) => suspend({}), { resume: 'use-as-result', output })
    const { agent } = testAgent({
      replies: [calls(call('c1', 'login')), 'Bye'],
      tools: [asking],
      plugins: [redactSecrets([{ name: 'TOKEN', value: secret }])],
      store,
    })
    await agent.run('Hi', { runId })
    const run = await agent.load(runId)
    expect((await run.respond('1.c1', { token: secret })).answer).toBe('applied')
    expect((await run.respond('1.c1', { token: secret })).answer).toBe('duplicate')
    const events = JSON.stringify(await eventsOf(run))
    expect(events).toContain(String.raw`{\"token\":\"[secret TOKEN]\"}`)
    expect(events).not.toContain('hunter2')
    expect(await bytesOf({ store, file, events: [] })).not.toContain('hunter2')
  })
})

/** A plugin that writes down what it is shown, and gives it on with its name. */
function noting(name: string, seen: unknown[]): Plugin {
  return {
    name,
    onToolValue({ call: { callId, toolName }, kind, value }) {
      seen.push([name, callId, toolName, kind, value])
      return value
    },
  }
}

test('PH-01 TOOL-03 shows plugins each value by its kind, one after another, as the previous plugin left it', async () => {
  const seen: unknown[] = []
  const adding: Plugin = {
    name: 'adding',
    onToolValue: ({ kind, value }) => (kind === 'progress' ? `${value}!` : value),
  }
  const act = toolNamed('login', (_, { progress, update, suspend, decision }) => {
    progress('half')
    update({ done: 1 })
    if (decision === undefined) return suspend({ message: 'Go on?' })
    return { content: text('no'), status: 'error' }
  })
  const { agent } = testAgent({
    replies: [calls(call('c1', 'login')), 'Bye'],
    tools: [act],
    plugins: [noting('one', seen), adding, noting('two', seen)],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.approve('1.c1')
  await run.settled()
  const head = ['1.c1', 'login']
  const progress = [
    ['one', ...head, 'progress', 'half'],
    ['two', ...head, 'progress', 'half!'],
  ]
  const both = (kind: string, value: unknown) => ['one', 'two'].map((name) => [name, ...head, kind, value])
  expect(seen).toEqual([
    ...progress,
    ...both('update', { done: 1 }),
    ...both('question', { message: 'Go on?' }),
    // The audit has the arguments as a question would show them.
    ...both('question', { parameters: {} }),
    ...progress,
    ...both('update', { done: 1 }),
    ...both('error', { content: text('no'), status: 'error' }),
  ])
})

test('PH-01 freezes the values that it passes to a plugin', async () => {
  const seen: ToolValue[] = []
  const keeping: Plugin = {
    name: 'keeping',
    onToolValue(given) {
      seen.push(given)
      return given.value
    },
  }
  await played(
    toolNamed('login', () => ({ content: text('Done.') })),
    [keeping],
  )
  const [given] = seen
  expect([given, given?.call, given?.value].every(Object.isFrozen)).toBe(true)
})

const failures: readonly [string, () => unknown][] = [
  [
    'throws',
    () => {
      throw new Error(secret)
    },
  ],
  ['answers a promise', () => Promise.resolve(secret)],
  ['answers a promise that fails', () => Promise.reject(new Error(secret))],
  ['answers nothing', () => undefined],
  ['answers what is not JSON', () => () => secret],
  ['answers another shape', () => 7n],
  ['answers a result that is pending', () => ({ content: text(secret), status: 'pending' })],
  ['answers a number', () => 7],
]

describe('PH-01 TOOL-03 failing plugins', () => {
  test.each(failures)('PH-01 TOOL-03 a plugin that %s ends the run', async (_, onToolValue) => {
    const told = await played(
      toolNamed('login', () => secret),
      [{ name: 'broken', onToolValue: onToolValue as never }],
    )
    const ended = told.events.findLast(({ type }) => type === 'run.ended')
    expect(ended).toMatchObject({ outcome: { reason: 'error', error: { code: 'effect_failed' } } })
    expect(JSON.stringify(ended)).toContain('Plugin \\"broken\\" failed in onToolValue')
    expect(told.events.filter(({ type }) => type === 'toolExecution.ended')).toMatchObject([{ status: 'cancelled' }])
    expect(JSON.stringify(told.events)).not.toContain('hunter2')
    expect(await bytesOf(told)).not.toContain('hunter2')
  })

  test('PH-01 TOOL-03 a plugin that fails on progress ends the run at once, for any behaviour of the tool', async () => {
    const held = heldTool('login')
    const { agent } = testAgent({
      replies: [calls(call('c1', 'login'))],
      tools: [held.tool],
      plugins: [{ name: 'broken', onToolValue: () => undefined as never }],
    })
    const events = eventsOf(agent.start('Hi', { runId }))
    const { progress, signal } = await held.begins('1.c1')
    progress(secret)
    expect(signal.aborted).toBe(true)
    const told = JSON.stringify(await events)
    expect(told).toContain('failed in onToolValue')
    expect(told).not.toContain('hunter2')
  })
})
