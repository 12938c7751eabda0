import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Plugin, Tool } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { resultsOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { runId, stop, testAgent } from '../../../proof/support/test-agent.ts'
import { heldTool, toolbox, toolNamed } from '../../../proof/support/tools.ts'

const most = 50_000_000
/** Its JSON has so many bytes. */
const textOfJson = (bytes: number) => 'x'.repeat(bytes - 2)
const tooLarge = `is too large: at most ${most} bytes of JSON are accepted.`

const { act } = toolbox()

interface Giver {
  readonly tools?: readonly Tool[]
  readonly plugins?: readonly Plugin[]
}

const givers: readonly [string, string, (text: string) => Giver][] = [
  ['a tool returns', tooLarge, (text) => ({ tools: [toolNamed('act', () => text)] })],
  ['a plugin supplies', tooLarge, (text) => ({ plugins: [{ name: 'p', gateCall: () => ({ result: text }) }] })],
  [
    'a plugin puts in its place',
    tooLarge,
    (text) => ({ plugins: [{ name: 'p', reviewCall: ({ rewrite }) => rewrite(text) }] }),
  ],
  [
    'a plugin blocks it with',
    `[Not executed: a plugin blocked this call. Its reason ${tooLarge}]`,
    (text) => ({ plugins: [{ name: 'p', gateCall: () => ({ block: text }) }] }),
  ],
]

/** The outcome of a run whose call is given such a result, and the result. */
async function given(giving: (text: string) => Giver, text: string) {
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'act')), 'Bye'], tools: [act()], ...giving(text) })
  const { outcome } = await agent.run('Hi', { runId })
  return { outcome, result: (await resultsOf(store, runId))['1.c1'] ?? '' }
}

test.for(givers)(
  'TC-03 CKP-09 accepts a result of the maximum size that %s, and states the limit for a larger one',
  async ([, refusal, giving]) => {
    const text = textOfJson(most)
    const largest = await given(giving, text)
    expect([largest.outcome, largest.result === text]).toEqual([{ reason: 'natural_end' }, true])
    const larger = await given(giving, `${text}x`)
    expect([larger.outcome, larger.result.slice(0, 1_000)]).toEqual([
      { reason: 'natural_end' },
      expect.stringContaining(refusal),
    ])
  },
)

test('CKP-09 another process reads a result of the maximum size', async () => {
  const store = sqliteStore(join(await temporaryFolder(), 'runs.db'), { synchronous: 'normal' })
  const text = textOfJson(most)
  const held = heldTool()
  const replies = [calls(call('c1', 'act'), call('c2', 'held')), 'Bye']
  const first = testAgent({ replies, store, tools: [toolNamed('act', () => text), held.tool] })
  const run = first.agent.start('Hi', { runId })
  const driving = run.settled()
  for await (const event of run.events()) if (event.type === 'call.settled') break
  await stop(run, driving)
  const second = testAgent({ replies, store, process: 'p2', tools: [act(), act('held')] })
  const again = await second.agent.load(runId)
  expect((await again.settled()).status).toBe('waiting')
  await again.approve()
  expect((await again.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect((await resultsOf(store, runId))['1.c1'] === text).toBe(true)
  await store.close()
})
