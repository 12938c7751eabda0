import { describe, expect, test } from 'vitest'
import { configurations } from '../../src/testing/charts/configurations.ts'
import type { Move } from '../../src/testing/charts/exploration-types.ts'
import { explore, movesOn, nameOfMove } from '../../src/testing/charts/explore.ts'
import { walkPath } from '../../src/testing/charts/paths.ts'
import { coverTransitions } from '../../src/testing/charts/transition-coverage.ts'
import { ChartHarness } from '../../src/testing/charts/chart-harness.ts'

/** One shortest path for each transition and each guard's answer, equal ones once. */
function pathsByConfiguration(): ReadonlyMap<string, readonly (readonly Move[])[]> {
  const paths = new Map<string, Map<string, readonly Move[]>>()
  for (const { path } of coverTransitions(configurations)) {
    if (path === undefined) continue
    const own = paths.get(path.configuration) ?? new Map<string, readonly Move[]>()
    paths.set(path.configuration, own.set(path.moves.map(nameOfMove).join(', '), path.moves))
  }
  return new Map([...paths].map(([name, own]) => [name, [...own.values()]]))
}

const paths = pathsByConfiguration()

describe('TST-01 CKP-03 a path to every transition ends the same, stopped and restored from JSON after every event', () => {
  test.each(configurations.filter(({ name }) => paths.has(name)).map((item) => [item.name, item] as const))(
    '%s',
    (name, configuration) => {
      for (const moves of paths.get(name) ?? []) {
        const live = walkPath({ configuration, moves, restores: false })
        const restored = walkPath({ configuration, moves, restores: true })
        expect(restored).toEqual(live)
        expect(live.breaches).toEqual([])
      }
    },
  )
})

describe('CKP-03 every reachable state is what the interpreter itself would persist, and restores to itself', () => {
  test.each(configurations.map((item) => [item.name, item] as const))('%s', { timeout: 30_000 }, (_, configuration) => {
    const harness = new ChartHarness({ options: configuration.options })
    const differences: string[] = []
    explore({
      configuration,
      onStep: (_from, { standing }, { path }) => {
        const restored = harness.restored(standing)
        const isKept = textOf(restored.interpreted) === textOf(harness.revive(standing.text))
        if (restored.standing.text !== standing.text || !isKept)
          differences.push(movesOn(path).map(nameOfMove).join(', '))
      },
    })
    expect(differences).toEqual([])
  })
})

function textOf(value: unknown): string {
  return JSON.stringify(sorted(value))
}

/** Keys in one order, so that texts can be compared; what JSON leaves out is left out. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}
