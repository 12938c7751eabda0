import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Model, type Plugin, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { describePaths, modelSuite, storeSuite, toolsetSuite, walkCrashes } from '../../src/testing/index.ts'
import { heldToolset } from '../../proof/support/held-toolset.ts'

/** The rejection of a promise after the whole patience has passed. */
async function afterLongTime(asked: Promise<unknown>): Promise<unknown> {
  const errors: unknown[] = []
  asked.catch((error: unknown) => errors.push(error))
  for (let minute = 0; minute < 10 && errors.length === 0; minute++) await vi.advanceTimersByTimeAsync(60_000)
  const [error] = errors
  return error instanceof Error ? error.message : 'It has not ended.'
}

const never = () => new Promise<never>(() => {})
const base = { description: 'Acts.', input: { type: 'object' }, execute: () => 'Acted.' } as const

describe('TST-02 suites with parts that never end', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  test('TST-02 a case with a silent store fails by its name', async () => {
    const [, first] = storeSuite(async () => ({
      store: { ...memoryStore(), create: never },
      deadOwner: (id: string) => ({ id, host: '', pid: 1, pidStart: '' }),
      dispose: async () => {},
    }))
    expect(await afterLongTime(first?.run() ?? never())).toBe(
      `"${first?.name}" has not ended after 30 s: something it waits for does not answer.`,
    )
  })

  test('TST-02 a case with a silent model or toolset fails by its name', async () => {
    const model: Model = {
      provider: 'p',
      id: 'm',
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }),
    }
    const [asked] = modelSuite(async () => ({ model, dispose: async () => {} }))
    expect(await afterLongTime(asked?.run() ?? never())).toMatch(/^"ends a text .*" has not ended after 30 s/)
    const { toolset } = heldToolset('pets', [])
    const under = {
      toolset: { ...toolset, tools: never },
      sample: { name: 'a', input: {} },
      unreachable: () => toolset,
      dispose: never,
    }
    const [listed] = toolsetSuite(async () => under)
    expect(await afterLongTime(listed?.run() ?? never())).toMatch(/^"gives tools .*" has not ended after 30 s/)
  })

  test('TST-02 a generated test whose plugin never ends fails once, and reports where the run is stuck', async () => {
    const stuck: Plugin = { name: 'stuck', stepStart: never }
    const tests = new Map<string, () => Promise<void>>()
    const runner = {
      describe: (_: string, body: () => void) => body(),
      test: (name: string, body: () => Promise<void>) => void tests.set(name, body),
    }
    const tools = [tool({ ...base, name: 'act' })]
    await describePaths({ name: 'a', tools, plugins: [stuck], limits: { pluginTimeoutMs: Infinity } }, runner)
    const message = await afterLongTime(tests.get('1.act succeeds')?.() ?? never())
    expect(String(message).match(/^- .*$/gm)).toEqual(['- asked: yes, not stopped: stuck: No end within 30000 ms.'])
  })

  test('TST-02 describePaths names the tool whose rule never answers', async () => {
    const tools = [tool({ ...base, name: 'act', needs: never })]
    const runner = { describe: () => {}, test: () => {} }
    expect(await afterLongTime(describePaths({ name: 'a', tools }, runner))).toBe(
      '"the calls of act" has not ended after 30 s: something it waits for does not answer.',
    )
  })
})

test('TST-02 abandons a trial whose run writes without end after 1,000 writes', async () => {
  let asked = 0
  const report = await walkCrashes(
    {
      name: 'endless',
      build: (environment) => ({
        name: 'a',
        model: scripted(() => ({ toolCalls: [{ name: 'act', arguments: { at: ++asked } }] })),
        tools: [
          tool({ ...base, name: 'act', effects: 'none', execute: (_, given) => environment.perform(given, 'Acted.') }),
        ],
        limits: false,
      }),
    },
    {
      storage: (clock) => {
        const store = memoryStore({ clock })
        return { reopen: async () => store, dispose: () => store.close() }
      },
    },
  )
  expect(asked).toBeLessThan(1_000)
  expect(report.findings.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
    'stuck: The run has not ended after 1000 writes.',
  ])
  expect(report.points).toBe(0)
}, 60_000)
