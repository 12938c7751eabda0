import { expect, test } from 'vitest'
import { call, calls, say } from '../../proof/support/say.ts'
import { quiet, runId, stop, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { type Plugin, type Run, type Store, userMessage } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

/** Hooks that hold a run before a turn, as long as their process lives. */
function holdingBefore(held: number): Omit<Plugin, 'name'> {
  return { beforeTurn: ({ turn }) => (turn === held ? new Promise<never>(() => {}) : true) }
}

/** The messages a run's stored events tell, each with its place. */
async function toldOf(run: Run): Promise<readonly string[]> {
  const told: string[] = []
  for await (const event of run.events({ deltas: false })) {
    if (event.type === 'message.ended') told.push(`turn ${event.turn} at ${event.place}: ${say(event.message)}`)
  }
  return told
}

const shownIn = async (run: Run) => (await run.messages()).map((message) => `at ${message.place}: ${say(message)}`)
const places = (lines: readonly string[]) => lines.map((line) => line.replace(/^turn \d+ /, ''))

/** A run that is held before a turn by a process that stops then; another process finishes it. */
async function takenOver(
  held: number,
  options: TestAgentOptions,
  meanwhile: (run: Run) => Promise<unknown>,
): Promise<{ readonly run: Run; readonly store: Store }> {
  const store = memoryStore()
  const pluginsWith = (before: number) => [...(options.plugins ?? []), { name: 'hooks', ...holdingBefore(before) }]
  const first = testAgent({ ...options, store, plugins: pluginsWith(held) })
  const run = first.agent.start('Hi', { runId })
  const driving = run.settled()
  driving.catch(() => undefined)
  await quiet()
  await meanwhile(run)
  await quiet()
  await stop(run, driving)
  const second = testAgent({ ...options, store, plugins: pluginsWith(-1), process: 'p2' })
  const taken = await second.agent.load(runId)
  expect((await taken.settled()).status).toBe('done')
  return { run: taken, store }
}

test("EVT-04 CKP-03 emits a prompt, and the application's messages after it, once and in order", async () => {
  const { run } = await takenOver(1, { replies: ['Bye'] }, (held) => held.append('note', 1))
  const told = await toldOf(run)
  expect(told.map((line) => line.replace(/ at \d+/, ''))).toEqual([
    'turn 1: user: Hi',
    'turn 1: extension: note',
    'turn 1: assistant: Bye',
  ])
  expect(places(told)).toEqual(await shownIn(run))
})

test('EVT-04 AGT-08 an emitted correction is not emitted again by the next driver', async () => {
  const output = { type: 'number' } as const
  const { run } = await takenOver(2, { output, replies: ['one', '1'] }, async () => undefined)
  const told = await toldOf(run)
  expect(told.filter((line) => line.includes('does not fit'))).toEqual([expect.stringMatching(/^turn 1 /)])
  expect(places(told)).toEqual(await shownIn(run))
})

test("EVT-04 PH-01 a plugin's emitted note after a result is not emitted again by the next driver", async () => {
  const noting: Plugin = { name: 'noting', reviewCall: ({ append }) => append(userMessage('Mind it.', 0)) }
  const options = { tools: [toolbox().act()], plugins: [noting], replies: [calls(call('c', 'act')), 'Bye'] }
  const { run } = await takenOver(2, options, async () => undefined)
  const told = await toldOf(run)
  expect(told.filter((line) => line.includes('Mind it.'))).toEqual([expect.stringMatching(/^turn 1 /)])
  expect(places(told).toSorted()).toEqual((await shownIn(run)).toSorted())
})

test("EVT-04 CKP-08 a fork emits no event that is in its original's log", async () => {
  const { run, store } = await takenOver(1, { replies: ['Bye'] }, async () => undefined)
  const [first] = (await run.history()).filter(({ names }) => names.includes('UserMessage'))
  const { agent } = testAgent({ store, replies: ['Bye'], process: 'p3' })
  const fork = await agent.fork(runId, { from: first?.version ?? 0, runId: 'fork' })
  await fork.settled()
  const told = await toldOf(fork)
  expect(told.map((line) => line.replace(/ at \d+/, ''))).toEqual(['turn 1: assistant: Bye'])
})
