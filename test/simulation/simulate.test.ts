import { once } from 'node:events'
import { setImmediate as loopTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { simulate } from '../../src/testing/simulation/simulate.ts'
import { playPiece } from '../../proof/simulation/play-piece.ts'
import { chooseAgent, nextAgent, simulatedAgent, ways } from '../../proof/simulation/simulated-agent.ts'
import { playWorld } from '../../src/testing/simulation/play-world.ts'
import { readSettings } from '../../src/testing/simulation/settings.ts'
import { storyOf } from '../../src/testing/simulation/story.ts'
import { payer, paysOnce } from './faulty-payer.ts'

describe("simulations of this project's agents", () => {
  test('TST-08 plays runs of a fixed seed with ten commits and three faults each, and breaks no rule', async () => {
    const { runs, commits, faults, found } = await playPiece({ runs: 10, seed: 1, isFirst: false, isSqlite: false })
    expect(found.map(({ story }) => story)).toEqual([])
    expect({ runs, commits: commits >= 10 * runs, faults: faults >= 3 * runs }).toEqual({
      runs: 10,
      commits: true,
      faults: true,
    })
  }, 600_000)

  test('TST-08 plays the runs on SQLite in memory, and breaks no rule', async () => {
    const { runs, found } = await playPiece({ runs: 10, seed: 1, isFirst: false, isSqlite: true })
    expect({ runs, stories: found.map(({ story }) => story) }).toEqual({ runs: 10, stories: [] })
  }, 600_000)

  test('TST-08 replays a seed to the same story in another order and during other work', async () => {
    const settings = readSettings(simulatedAgent, { next: nextAgent, outside: chooseAgent })
    const seeds = [11, 12, 13, 14]
    for (const seed of seeds) await playWorld(settings, seed)
    const alone = []
    for (const seed of seeds) alone.push(await playWorld(settings, seed))
    const load = (async () => {
      for (let turn = 0; turn < 3000; turn++) await loopTurn()
    })()
    const beside = await Promise.all(seeds.toReversed().map((seed) => playWorld(settings, seed)))
    await load
    expect(beside.toReversed()).toEqual(alone)
  }, 600_000)
})

test.each(ways)("TST-08 AGT-18 watches the tools of a family's members, where the one above %s", async (way) => {
  const started = new Set<string>()
  const { found } = await simulate(simulatedAgent, {
    runs: 10,
    outside: (choose) => ({ ...chooseAgent(choose), cap: 2000, way }),
    invariants: [
      {
        name: 'sees what members do',
        check: ({ performances }) => {
          for (const { runId, toolName } of performances)
            started.add(`${runId.split(/\.(?:sub|to)\./).length} ${toolName}`)
          return undefined
        },
      },
    ],
  })
  expect(found.map(({ story }) => story)).toEqual([])
  // The root denies `append` to every level.
  const isBelow = way !== 'hands over'
  expect([...started].toSorted()).toEqual(['1 ask', ...(isBelow ? ['2 put', '3 ask', '3 put'] : ['2 ask', '2 put'])])
})

test('TST-08 injects no earlier fault once all faults are over', async () => {
  const settings = readSettings(simulatedAgent, { outside: chooseAgent, faults: { pause: 0.05, slow: 0.05 } })
  const late: unknown[] = []
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const { notes } = await playWorld(settings, seed)
    const over = notes.findIndex(({ who }) => who === 'All faults')
    late.push(...notes.slice(over + 1).filter(({ isFault }) => isFault === true))
  }
  expect(late).toEqual([])
})

test('TST-08 prints a repeated line once, with its count', () => {
  const note = (at: number, what: string) => ({ at, who: 'worker 1', what })
  const asked = Array.from({ length: 40 }, (_, index) => [note(2 + index, 'asks'), note(2 + index, 'hears no')])
  const notes = [note(1, 'begins'), ...asked.flat(), note(50, 'is killed')]
  expect(storyOf(notes, { invariant: 'every run ends', message: 'It has not.' })).toEqual([
    '1 ms: worker 1 begins.',
    '2 ms: worker 1 asks, 40 times.',
    '2 ms: worker 1 hears no, 40 times.',
    '50 ms: worker 1 is killed.',
    'Broken: every run ends. It has not.',
  ])
})

describe('a planted fault', () => {
  test("TST-08 finds a tool's planted fault, explains it in at most 12 lines and replays it by its choices", async () => {
    const { found } = await simulate(payer, { ...paysOnce, runs: 300, untilFound: true })
    const [finding] = found
    expect(found).toMatchObject([{ invariant: 'each run pays once', message: 'A run has paid twice.' }])
    expect(finding?.story.length).toBeLessThanOrEqual(12)
    expect(finding?.story.at(-1)).toBe('Broken: each run pays once. A run has paid twice.')
    const given = { runs: 1, seed: finding?.seed ?? 0, choices: finding?.choices ?? [] }
    const again = await simulate(payer, { ...paysOnce, ...given })
    expect(again.found.map(({ story }) => story)).toEqual([finding?.story])
    expect(finding?.test).toContain(`choices: ${JSON.stringify(finding?.choices)}`)
  }, 600_000)

  test('TST-08 replays a planted fault byte for byte under another load, after other seeds, with its files in another order', async () => {
    const settings = readSettings(payer, paysOnce)
    const seeds = Array.from({ length: 300 }, (_, index) => index + 1)
    let failing
    for (const seed of seeds) {
      failing = { seed, text: JSON.stringify(await playWorld(settings, seed)) }
      if (failing.text.startsWith('{"problem"')) break
    }
    const { seed = 0, text = '' } = failing ?? {}
    const worker = new Worker(new URL('./replay.ts', import.meta.url), {
      workerData: { seed, others: [seed + 2, seed + 1] },
    })
    const answer = once(worker, 'message')
    for (const other of seeds.slice(0, 30)) await playWorld(settings, other)
    expect(JSON.parse(text)).toMatchObject({ problem: { invariant: 'each run pays once' } })
    expect(await answer).toEqual([text])
    await worker.terminate()
  }, 600_000)

  test('TST-08 does not find the planted fault in a simulation without crashes', async () => {
    const { found, faults } = await simulate(payer, { ...paysOnce, runs: 20, faults: false })
    expect({ found, faults }).toEqual({ found: [], faults: 0 })
  })
})

test.each([
  [{ runs: -1 }, 'Option runs of simulate is -1, which is refused. Expected a whole number of 0 or more.'],
  [
    { faults: { kill: 2 } },
    'Option faults.kill of simulate is 2, which is refused. Expected a probability from 0 to 1.',
  ],
])('TST-08 refuses the options %j', async (options, message) => {
  await expect(simulate(simulatedAgent, options)).rejects.toThrow(message)
})
