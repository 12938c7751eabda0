import { expect, test } from 'vitest'
import { type Json, SnapshotError } from '../../../src/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

type Options = { readonly [name: string]: Json }

/** A waiting run whose stored options an earlier or a later version has written. */
async function storedWith(change: (options: Options) => Json) {
  const { act } = toolbox()
  const options = {
    replies: [calls(call('c1', 'gated')), 'Bye'],
    tools: [act('gated', { needs: 'approval' as const })],
  }
  const inner = memoryStore()
  await testAgent({ ...options, store: inner }).agent.run('Hi', { runId })
  const store: typeof inner = {
    ...inner,
    async claim(...given) {
      const { run, ...claimed } = await inner.claim(...given)
      const input = run.input as { readonly options: Options }
      return { ...claimed, run: { ...run, input: { ...input, options: change(input.options) } } }
    },
  }
  return testAgent({ ...options, store, process: 'p2' }).agent
}

const names = [
  'executor',
  'onPartialSuspension',
  'decisions',
  'limits',
  'repeatLimit',
  'stopsOnRepeat',
  'maxRetries',
  'fallbacks',
  'queueModes',
  'onModelFailure',
  'outputRetries',
  'watched',
]

test.each(names)('CKP-07 a run stored before option "%s" existed has its default', async (name) => {
  const agent = await storedWith(({ [name]: _, ...others }) => others)
  const run = await agent.load(runId)
  await run.approve()
  expect(await run.settled()).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Bye' })
})

test('CKP-07 the list of tested options is complete', async () => {
  let stored: readonly string[] = []
  const agent = await storedWith((options) => {
    stored = Object.keys(options)
    return options
  })
  await (await agent.load(runId)).settled()
  expect(stored.toSorted()).toEqual(names.toSorted())
})

test.each<[string, (options: Options) => Json, string]>([
  ['of another type', (options) => ({ ...options, limits: 50 }), 'its option "limits" is not readable: 50'],
  [
    'with a limit nobody knows',
    (options) => ({ ...options, limits: [{ code: 'max_luck', max: 1, action: 'stop' }] }),
    'its option "limits" is not readable',
  ],
  ['of a later version', (options) => ({ ...options, luck: 7 }), 'its option "luck" is not known to this version'],
  ['that are none', () => 'all', 'its input holds no options'],
])('CKP-07 refuses options %s by name, and the run is unchanged', async (_, change, what) => {
  const agent = await storedWith(change)
  const run = await agent.load(runId)
  await run.approve()
  const refusal = await run.settled().catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(SnapshotError)
  expect(String(refusal)).toContain(what)
  expect((await run.result()).status).toBe('waiting')
})
