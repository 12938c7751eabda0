import { getAdjacencyMap } from '@xstate/graph'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sampled } from '../../proof/support/sampled.ts'
import { type Excuse, reportOn, writeReport } from '../../proof/coverage-transitions/write-report.ts'
import { ChartHarness } from '../../src/testing/charts/chart-harness.ts'
import { coverBranches } from '../../src/testing/charts/branches-coverage.ts'
import { configurations } from '../../src/testing/charts/configurations.ts'
import type { Configuration, Move, Standing } from '../../src/testing/charts/exploration-types.ts'
import { explore, movesOn, nameOfMove } from '../../src/testing/charts/explore.ts'
import { walkPath } from '../../src/testing/charts/paths.ts'
import { TransitionCoverage } from '../../src/testing/charts/transition-coverage.ts'

// Each configuration is explored once, and every test of this file reads what that came to.
const coverage = new TransitionCoverage()
const explored = new Map<string, ReturnType<typeof exploreNow>>()
const byName = configurations.map((configuration) => [configuration.name, configuration] as const)

function exploration(configuration: Configuration): ReturnType<typeof exploreNow> {
  const known = explored.get(configuration.name) ?? exploreNow(configuration)
  explored.set(configuration.name, known)
  return known
}

// XState takes each step beside the tables in one of six configurations, at three times the cost; in all of them under
// `npm run mutants -- --both`.
const compared = sampled(configurations, 6)

function exploreNow(configuration: Configuration) {
  const watching = coverage.watching(configuration)
  const isCompared = compared.includes(configuration)
  const interpreter = isCompared ? 'both' : 'tables'
  const harness = new ChartHarness({ options: configuration.options, interpreter })
  const seen = new Set<string>()
  const restored = new Set<string>()
  const changed: string[] = []
  const onStep: (typeof watching)['onStep'] = (from, step, to) => {
    watching.onStep(from, step, to)
    if (seen.has(to.key)) return
    seen.add(to.key)
    // States that only facts tell apart are restored from one text.
    if (restored.has(to.standing.text)) return
    restored.add(to.standing.text)
    if (!restoresToItself(harness, to.standing, isCompared)) changed.push(movesOn(to.path).map(nameOfMove).join(', '))
  }
  const { findings, states } = explore({ ...watching, onStep, interpreter }, getAdjacencyMap)
  return { findings, states, changed, seen: seen.size }
}

/** True where a state restores to itself, and is what XState itself would persist where they are compared. */
function restoresToItself(harness: ChartHarness, standing: Standing, isCompared: boolean): boolean {
  const restored = harness.restored(standing)
  const isKept = !isCompared || textOf(restored.interpreted) === textOf(harness.revive(standing.text))
  return isKept && restored.standing.text === standing.text
}

describe('TST-01 TC-01 RUN-01 RUN-03 DEC-04 rules', () => {
  test.each(byName)(
    'TST-01 TC-01 RUN-01 RUN-03 DEC-04 every reachable state of %s keeps the rules',
    { timeout: 60_000 },
    (_, configuration) => {
      const { findings, states } = exploration(configuration)
      expect(findings).toEqual([])
      expect(states).toBeGreaterThan(3)
    },
  )
})

describe('CKP-03 persistence', () => {
  test.each(byName)(
    'CKP-03 every reachable state of %s equals the one that the interpreter itself would persist, and restores to itself',
    { timeout: 60_000 },
    (_, configuration) => {
      const { changed, seen, states } = exploration(configuration)
      expect(changed).toEqual([])
      expect(seen).toBe(states)
    },
  )
})

test('TST-01 every transition and guard answer is taken or excused, as docs/transitions.md lists', () => {
  configurations.forEach(exploration)
  const excuses = JSON.parse(readFileSync('test/golden/transitions-excused.json', 'utf8')) as readonly Excuse[]
  const branches = [...coverage.branches(), ...coverBranches()]
  const report = reportOn(branches, excuses)
  expect({ missing: report.missing, idle: report.idle }).toEqual({ missing: [], idle: [] })
  // Stale: `npm run coverage:transitions` writes the page anew.
  expect(writeReport(branches, report)).toBe(readFileSync('docs/transitions.md', 'utf8'))
}, 300_000)

describe('TST-01 CKP-03 paths', () => {
  test.each(byName)(
    'TST-01 CKP-03 a path to every transition of %s ends the same, stopped and restored from JSON after every event',
    { timeout: 300_000 },
    (name, configuration) => {
      configurations.forEach(exploration)
      for (const moves of pathsIn(name)) {
        const live = walkPath({ configuration, moves, restores: false })
        const restored = walkPath({ configuration, moves, restores: true })
        expect(restored).toEqual(live)
        expect(live.breaches).toEqual([])
      }
    },
  )
})

/** One shortest path for each transition and each guard's answer that this configuration is the first to take, equal ones once. */
function pathsIn(name: string): readonly (readonly Move[])[] {
  const own = coverage.branches().flatMap(({ path }) => (path?.configuration === name ? [path.moves] : []))
  return [...new Map(own.map((moves) => [moves.map(nameOfMove).join(', '), moves])).values()]
}

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
