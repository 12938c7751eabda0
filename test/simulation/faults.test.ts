import { expect, test } from 'vitest'
import { chooseAgent, nextAgent, simulatedAgent } from '../../proof/simulation/simulated-agent.ts'
import { defaultRates, type FaultRates } from '../../src/testing/simulation/faults.ts'
import { playWorld } from '../../src/testing/simulation/play-world.ts'
import { readSettings } from '../../src/testing/simulation/settings.ts'

const none = Object.fromEntries(Object.keys(defaultRates).map((kind) => [kind, 0])) as FaultRates

/** The story of some worlds, a line for each note. */
async function told(faults: Partial<FaultRates>, seeds: readonly number[]): Promise<readonly string[]> {
  // The turns of each world ask a service, people and tools.
  const outside: typeof chooseAgent = (choose) => ({ ...chooseAgent(choose), turns: [4, 0], cap: 0 })
  const settings = readSettings(simulatedAgent, { next: nextAgent, outside, faults })
  const lines: string[] = []
  for (const seed of seeds) {
    const { notes } = await playWorld(settings, seed)
    lines.push(...notes.map(({ who, what }) => `${who} ${what}`))
  }
  return lines
}

test.each([
  ['kill', 0.05, [/^worker \d is killed$/]],
  ['pause', 0.05, [/^worker \d stands still for 5000 ms$/, /^worker \d stands still for 100 ms$/]],
  ['jump', 0.05, [/^worker \d has its clock set by \d+ ms$/, /^worker \d has its clock set by -\d+ ms$/]],
  ['slow', 0.05, [/waits long for commit of the store$/]],
  ['busy', 0.1, [/^worker \d asks the store for commit: the store is locked$/]],
  [
    'cut',
    0.1,
    [/for commit: the store is cut off before it acts$/, /for commit: the store is cut off after it has acted$/],
  ],
  ['fullDisk', 0.05, [/^The disk is full for \d+ ms$/, /^worker \d asks the store for commit: the store has no room$/]],
  ['lost', 0.5, [/waits in vain: a request is lost$/, /waits in vain: the answer to a request is lost$/]],
  ['deploy', 1, [/^worker \d is replaced by a process of the next version$/]],
] as const)('TST-08 strikes with the fault %s, in each of its ways', async (kind, rate, ways) => {
  const lines = await told({ ...none, [kind]: rate }, [1, 2, 3, 4, 5, 6])
  expect(ways.filter((way) => !lines.some((line) => way.test(line)))).toEqual([])
})

test('TST-08 has people answer early, late and twice, clocks that differ and drift, and a broker that repeats', async () => {
  const lines = await told(none, [1, 2, 3, 4])
  const ways = [
    /^(Ann|Bob) says (yes|no) to call \S+ of run-\d at worker \d: kept$/,
    /^(Ann|Bob) says (yes|no) to call \S+ of run-\d at worker \d: stale$/,
    /^(Ann|Bob) says (yes|no) to call \S+ of run-\d at worker \d: duplicate$/,
    /^worker \d begins; its clock is -?[1-9]\d+ ms ahead/,
    /^worker \d begins; .* at rate (1\.01|0\.99)$/,
    /^The broker repeats the answer to \S+, which is on its way$/,
  ]
  expect(ways.filter((way) => !lines.some((line) => way.test(line)))).toEqual([])
})
