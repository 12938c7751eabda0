import { describe, expect, test } from 'vitest'
import { differences } from './chart-facts.ts'
import { chartPlants, doorConfig, wholeDoor } from './chart-plants.ts'
import { checkCharts } from './check-charts.ts'
import { judgeLiteral } from './judge-literal.ts'
import { isExtractorInstalled, runExtractor } from './run-extractor.ts'

describe('a chart is one literal', () => {
  test('accepts a chart that is one literal, with functions in it', () => {
    expect(judgeLiteral('door.ts', wholeDoor)).toEqual([])
    const functions =
      '{ context: initial, states: { a: { invoke: { input: ({ context }) => ({ due: context.at }) } } } }'
    expect(judgeLiteral('door.ts', `setup({}).createMachine(${functions})`)).toEqual([])
  })

  test.each(chartPlants)('refuses $what', ({ text }) => {
    expect(judgeLiteral('door.ts', text)).toEqual([expect.stringMatching(/^door\.ts/)])
  })

  test('names the line and the offending expression', () => {
    const text =
      "const machine = setup({}).createMachine({\n  states: {\n    a: {},\n    ...rest,\n    b: goes('a'),\n  },\n})\n"
    expect(judgeLiteral('door.ts', text)).toEqual([
      'door.ts:4 is a spread; write it out instead',
      'door.ts:5 is no literal (CallExpression); write it out instead',
    ])
  })
})

describe('what the official extractor reads', () => {
  test("compares the extractor's reading with the assembled chart fact by fact", () => {
    const read = { ...doorConfig, states: { closed: { on: { 'door.pushed': { target: 'closed' } } } } }
    expect(differences(read, doorConfig)).toEqual([
      'not read: closed --door.pushed 1[isOiled]--> open / ring',
      'not read: open',
      'not read: open is entered with ring',
      'not read: open invokes creak as creak',
      'not read: open --done(creak) 1--> closed',
      'read, but not there: closed --door.pushed 1--> closed',
    ])
    expect(differences(doorConfig, doorConfig)).toEqual([])
  })

  // Without the extractor, the step before the tests has already reported it, and failed in CI.
  test.skipIf(!isExtractorInstalled())('notices each planted difference, and none in a whole chart', () => {
    const { configs = [] } = runExtractor([wholeDoor, ...chartPlants.map(({ text }) => text)])
    const [whole, ...planted] = configs
    expect(differences(whole, doorConfig)).toEqual([])
    const noticed = chartPlants.filter((_, index) => differences(planted[index], doorConfig).length > 0)
    expect(noticed).toEqual(chartPlants.filter(({ isFollowed }) => isFollowed !== true))
  })

  const door = { path: 'door.ts', text: wholeDoor, config: doorConfig }

  test('fails the check for another chart, and if a planted chart is read as whole', () => {
    const configs = [{ ...doorConfig, initial: 'open' }, ...Array<unknown>(chartPlants.length + 1).fill(doorConfig)]
    const followed = chartPlants.filter(({ isFollowed }) => isFollowed !== true)
    expect(checkCharts([door], { extract: () => ({ configs }) }).problems).toEqual([
      'door.ts, by the official extractor: not read: (root) starts in closed',
      'door.ts, by the official extractor: read, but not there: (root) starts in open',
      ...followed.map(({ what }) => `nobody noticed the plant: ${what}`),
    ])
  })

  test('requires the extractor in CI, and reports it as missing anywhere else', () => {
    const extract = () => ({ problem: 'npm ci in scripts/extractor failed: no registry' })
    const summary = 'the official extractor has not read the charts: npm ci in scripts/extractor failed: no registry'
    expect(checkCharts([door], { extract, isCi: true })).toEqual({ problems: [summary], summary })
    expect(checkCharts([door], { extract, isCi: false })).toEqual({ problems: [], summary })
  })
})
