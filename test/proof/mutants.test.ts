import { availableParallelism } from 'node:os'
import { describe, expect, test } from 'vitest'
import { configurations } from '../../src/testing/charts/configurations.ts'
import { copyConfig, type StateConfig, statesOf } from '../../src/testing/charts/chart-config.ts'
import { machinesOf, mutants } from '../../proof/mutants/all-mutants.ts'
import { readEquivalents } from '../../proof/mutants/equivalents.ts'
import { judgeMutant } from '../../proof/mutants/judge-mutant.ts'
import { listMutants, operators } from '../../proof/mutants/list-mutants.ts'
import { failingScenario, playScenario } from '../../proof/mutants/play-scenario.ts'
import { reportOn } from '../../proof/mutants/report.ts'
import { judgeMutants, recordReaches, mutantPool } from '../../proof/mutants/run-mutants.ts'
import { sampleOf, seedOf } from '../../proof/mutants/sample.ts'
import { scenarios } from '../../proof/mutants/scenarios.ts'
import { countSeenByGolden } from '../../proof/mutants/seen-by-golden.ts'
import { machinesAsTheyAre } from '../../src/testing/charts/machines-under-test.ts'

const light = {
  id: 'light',
  implementations: { actions: {}, guards: {}, actors: {}, delays: {} },
  config: {
    id: 'light',
    initial: 'off',
    states: {
      off: {
        on: {
          switched: [
            { guard: 'hasPower', target: 'on', actions: 'count' },
            { guard: 'isBroken', target: 'dead' },
          ],
        },
      },
      on: { entry: ['shine'], invoke: { src: 'sleep', id: 'sleep', onDone: 'off' } },
      dead: { type: 'final' },
    },
  },
}

describe('TST-01 mutator', () => {
  test('TST-01 lists every mutant of a chart', () => {
    expect(listMutants(light).map(({ operator, id }) => `${operator}: ${id}`)).toEqual([
      'target changed: light (root): initial off becomes on',
      'target changed: light (root): initial off becomes dead',
      'transition dropped: light off --switched#1: [hasPower] dropped',
      'target changed: light off --switched#1: on becomes #light.off',
      'target changed: light off --switched#1: on becomes #light.dead',
      'guard flipped: light off --switched#1: [hasPower] flipped',
      'guard removed: light off --switched#1: [hasPower] removed',
      'action removed: light off --switched#1: without count',
      'transition dropped: light off --switched#2: [isBroken] dropped',
      'target changed: light off --switched#2: dead becomes #light.off',
      'target changed: light off --switched#2: dead becomes #light.on',
      'guard flipped: light off --switched#2: [isBroken] flipped',
      'guard removed: light off --switched#2: [isBroken] removed',
      'order swapped: light off --switched: #1 and #2 swapped',
      'action removed: light on: entry without shine',
      'invoke removed: light on: without invoke sleep',
      'transition dropped: light on --done(sleep): dropped',
      'target changed: light on --done(sleep): off becomes #light.on',
      'target changed: light on --done(sleep): off becomes #light.dead',
    ])
  })

  test('TST-01 changes only a copy', () => {
    const before = printed(copyConfig(light.config))
    for (const mutant of listMutants(light)) {
      expect([mutant.id, printed(mutant.build())]).not.toEqual([mutant.id, before])
      expect(printed(copyConfig(light.config))).toEqual(before)
    }
  })

  test('TST-01 uses every operator on every chart, and names each mutant uniquely', () => {
    for (const chart of Object.values(machinesAsTheyAre)) {
      const own = mutants.filter((mutant) => mutant.chart === chart.id)
      expect(new Set(own.map(({ operator }) => operator))).toEqual(new Set(operators))
      expect(own.length).toBeGreaterThan(statesOf(copyConfig(chart.config)).length * 3)
    }
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
  })

  test('TST-01 makes only mutants that the golden graphs would show', () => {
    const sample = sampleOf(mutants, 200, 1)
    expect(countSeenByGolden(sample)).toBe(sample.length)
  })

  test('TST-01 samples by seed', () => {
    const ids = (seed: number) => sampleOf(mutants, 5, seed).map(({ id }) => id)
    expect(ids(7)).toEqual(ids(7))
    expect(ids(7)).not.toEqual(ids(8))
  })

  test("TST-01 draws the gate's sample only from the names of the mutants", () => {
    expect(seedOf(['a', 'b'])).toBe(seedOf(['a', 'b']))
    expect(seedOf(['a', 'b'])).not.toBe(seedOf(['a', 'c']))
  })
})

describe('TST-01 scenarios', () => {
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    'TST-01 RUN-02 RUN-03 TC-01 CKP-01 %s',
    (_, scenario) => {
      expect(playScenario(scenario, machinesOf())).toBeUndefined()
    },
  )

  test('TST-01 the scenarios notice a chart that forgets a checkpoint', () => {
    const id = 'run running.opening.committingUser: entry without checkpoint(UserMessage)'
    expect(failingScenario(machinesOf(mutants.find((mutant) => mutant.id === id)), 'both')).toContain(
      'expected "UserMessage',
    )
  })
})

test('TST-01 a mutant whose step never ends counts as killed, and both interpreters agree', () => {
  const id = 'toolCall suspended.resting --call.decided: decided becomes #toolCall.new'
  const mutant = mutants.find((one) => one.id === id)
  if (mutant === undefined) throw new Error('There is no such mutant.')
  const configuration = configurations.findIndex(({ name }) => name === 'a plugin holds the run')
  const relevant = { cheap: [{ configuration, limit: 2_000 }], dear: [] }
  const what = 'a plugin holds the run: threw: The step does not end.'
  expect(judgeMutant(mutant, relevant, 'both')).toEqual({ by: 'oracle', what })
})

test('TST-01 kills a sample of mutants, and the list explains the rest', { timeout: 600_000 }, async () => {
  const pool = mutantPool(Math.min(2, availableParallelism()))
  const known = mutants.map(({ id }) => id)
  // A sample drawn anew would fail by chance in the gate; `npm run mutants` judges all of them.
  const seed = seedOf(known)
  const byScenarios = await judgeMutants(pool, sampleOf(mutants, 16, seed), [], 'tables')
  const left = byScenarios.filter(({ verdict }) => verdict.by === null).map(({ mutant }) => mutant)
  // Scenarios kill most. To explore every configuration costs as much as all of that, and is done for those that are left.
  const reaches = left.length === 0 ? [] : await recordReaches(pool)
  const judged = [
    ...byScenarios.filter(({ mutant }) => !left.includes(mutant)),
    ...(await judgeMutants(pool, left, reaches, 'tables')),
  ]
  const report = reportOn(judged, readEquivalents(), known)
  expect({ seed, ...report }).toMatchObject({ total: 16, survived: [], mistaken: [], unknown: [] })
  expect(report.killed).toBeGreaterThan(10)
  // Stepping by both costs four times as much: `npm run mutants -- --both` compares the interpreters over all of them.
  const compared = await judgeMutants(pool, sampleOf(mutants, 4, seed), reaches, 'both')
  expect(compared.filter(({ verdict }) => verdict.by === 'difference')).toEqual([])
})

function printed(config: StateConfig): string {
  return JSON.stringify(config, (_, value: unknown) => (typeof value === 'function' ? String(value) : value))
}
