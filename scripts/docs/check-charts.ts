import { differences } from './chart-facts.ts'
import { type ChartPlant, chartPlants, doorConfig, wholeDoor } from './chart-plants.ts'
import { judgeLiteral } from './judge-literal.ts'
import { type Extraction, runExtractor } from './run-extractor.ts'

/** The file of a chart with its evaluated config. */
export interface ChartSource {
  readonly path: string
  readonly text: string
  readonly config: unknown
}

/** The result of checking the charts' files. */
export interface ChartsReport {
  readonly problems: readonly string[]
  /** One line about the official extractor: the amount that it has read, or the reason why it did not run. */
  readonly summary: string
}

interface Options {
  readonly extract?: (texts: readonly string[]) => Extraction
  /** True if a check that cannot run is a failure. */
  readonly isCi?: boolean
}

/** The maximum number of reported differences of one chart; a fragment can hide hundreds. */
const mostNamed = 5

/**
 * Checks that each chart's file is one literal that the official extractor reads whole; plants prove that both checks
 * work.
 */
export function checkCharts(
  sources: readonly ChartSource[],
  { extract = runExtractor, isCi = process.env['CI'] === 'true' }: Options = {},
): ChartsReport {
  const problems = [
    ...sources.flatMap(({ path, text }) => judgeLiteral(path, text)),
    ...judgeLiteral('the planted chart', wholeDoor),
    ...missed(chartPlants, ({ text }) => judgeLiteral('plant.ts', text)),
  ]
  const read = extract([...sources.map(({ text }) => text), wholeDoor, ...chartPlants.map(({ text }) => text)])
  if (read.problem !== undefined) {
    const summary = `the official extractor has not read the charts: ${read.problem}`
    return { problems: isCi ? [...problems, summary] : problems, summary }
  }
  const [wholeRead, ...plantsRead] = read.configs.slice(sources.length)
  return {
    problems: [
      ...problems,
      ...sources.flatMap(({ path, config }, index) => named(path, differences(read.configs[index], config))),
      ...named('the planted chart', differences(wholeRead, doorConfig)),
      ...missed(
        chartPlants.filter(({ isFollowed }) => isFollowed !== true),
        (plant) => differences(plantsRead[chartPlants.indexOf(plant)], doorConfig),
      ),
    ],
    summary: `the official extractor has read ${sources.length} charts, and ${chartPlants.length} planted ones`,
  }
}

function missed(plants: readonly ChartPlant[], judge: (plant: ChartPlant) => readonly string[]): readonly string[] {
  return plants.filter((plant) => judge(plant).length === 0).map(({ what }) => `nobody noticed the plant: ${what}`)
}

function named(path: string, found: readonly string[]): readonly string[] {
  const rest = found.length - mostNamed
  return [
    ...found.slice(0, mostNamed).map((difference) => `${path}, by the official extractor: ${difference}`),
    ...(rest > 0 ? [`${path}, by the official extractor: ${rest} more differences`] : []),
  ]
}
