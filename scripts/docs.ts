import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AnyStateMachine } from 'xstate'
import { readNamedChart } from '../proof/charts/read-chart.ts'
import type { Chart } from '../src/core/charts/chart.ts'
import { checkCharts, type ChartSource } from './docs/check-charts.ts'
import { checkEffects } from './docs/check-effects.ts'
import { checkEndings } from './docs/check-endings.ts'
import { checkLinks } from './docs/check-links.ts'
import { checkPaths } from './docs/check-paths.ts'
import { checkSpans } from './docs/check-spans.ts'
import { checkSurface } from './docs/check-surface.ts'
import { checkSnippets, readPages, subpaths } from './docs/snippets.ts'
import { checkOnce } from './docs/reference/check-once.ts'
import { writeCommands } from './docs/reference/write-commands.ts'
import { writeErrors } from './docs/reference/write-errors.ts'
import { writeEvents } from './docs/reference/write-events.ts'
import { writeOptions } from './docs/reference/write-options.ts'
import { writeRoutes } from './docs/reference/write-routes.ts'
import { type Door, writeExports } from './docs/write-exports.ts'
import { withMediaTable } from './docs/write-media-table.ts'
import { writeGolden } from '../proof/charts/write-golden.ts'
import { writePage } from './docs/write-page.ts'

/** A chart with its file. */
interface ChartFile extends ChartSource {
  readonly chart: Chart
}

/** Reads every chart: `machines/x-y/x-y.machine.ts` exports `xYMachine`. */
async function readCharts(): Promise<readonly ChartFile[]> {
  const charts: ChartFile[] = []
  for (const path of globSync('machines/*/*.machine.ts').sort()) {
    const name = basename(path, '.machine.ts')
    const exported = `${name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Machine`
    const module = (await import(pathToFileURL(resolve(path)).href)) as Record<string, AnyStateMachine | undefined>
    const machine = module[exported]
    if (machine === undefined) throw new Error(`${path} should export "${exported}".`)
    charts.push({
      chart: readNamedChart(name, machine),
      path,
      text: readFileSync(path, 'utf8'),
      config: machine.config,
    })
  }
  return charts
}

/** Reads the source file of each public subpath. */
function readDoors(packageJson: string): readonly Door[] {
  return Object.entries(subpaths(packageJson))
    .filter(([, path]) => existsSync(path))
    .map(([subpath, path]) => ({ subpath, path, text: readFileSync(path, 'utf8') }))
}

/** The sources that end runs. */
const endingSources = [
  'src/core/family/handover-tool.ts',
  'machines/*/*.ts',
  'src/core/{effects,runtime}/**/*.ts',
  'src/core/domain/model-error.ts',
]

/** The pages and programs that show the public names to people. */
const tellingPages = ['README.md', 'docs/guides/*.md', 'docs/reference/errors.md', 'examples/**/*.ts']

function readSources(patterns: readonly string[]): ReadonlyMap<string, string> {
  return new Map(globSync(patterns).map((path) => [path, readFileSync(path, 'utf8')] as const))
}

/** Returns every generated file with its expected text. */
function generate(charts: readonly Chart[], doors: readonly Door[]): ReadonlyMap<string, string> {
  return new Map([
    ...charts.map((chart) => [`docs/machines/${chart.name}.md`, writePage(chart)] as const),
    ...charts.map((chart) => [`test/golden/${chart.name}.txt`, writeGolden(chart)] as const),
    ['docs/reference/commands.md', writeCommands()] as const,
    ['docs/reference/errors.md', writeErrors(writeExports(doors))] as const,
    ['docs/reference/events.md', writeEvents()] as const,
    ['docs/reference/options.md', writeOptions()] as const,
    ['docs/reference/routes.md', writeRoutes()] as const,
    ['docs/guides/models.md', withMediaTable(readFileSync('docs/guides/models.md', 'utf8'))] as const,
    ['test/golden/exports.txt', writeExports(doors)] as const,
  ])
}

/** Returns the lines that differ between the actual and the expected text; empty if there are none. */
export function staleLines(actual: string, expected: string): readonly string[] {
  if (actual === expected) return []
  const had = actual.split('\n')
  const has = expected.split('\n')
  const gone = had.filter((line) => !has.includes(line)).map((line) => `- ${line}`)
  const come = has.filter((line) => !had.includes(line)).map((line) => `+ ${line}`)
  return gone.length + come.length === 0 ? ['the same lines in another order'] : [...gone, ...come]
}

function checkFiles(files: ReadonlyMap<string, string>): readonly string[] {
  const stale = [...files].flatMap(([path, text]) => {
    const lines = staleLines(existsSync(path) ? readFileSync(path, 'utf8') : '', text)
    return lines.length === 0 ? [] : [`${path} is stale; run \`npm run docs\` and review the change:`, ...lines]
  })
  const orphans = globSync('docs/machines/*.md').filter((path) => !files.has(path))
  return [...stale, ...orphans.map((path) => `${path} belongs to no chart; delete it.`)]
}

function writeFiles(files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

if (import.meta.main) {
  const chartFiles = await readCharts()
  const charts = chartFiles.map(({ chart }) => chart)
  const packageJson = readFileSync('package.json', 'utf8')
  const doors = readDoors(packageJson)
  const files = generate(charts, doors)
  const pages = [
    'README.md',
    'CHANGELOG.md',
    'AGENTS.md',
    'CONTRIBUTING.md',
    ...globSync('docs/**/*.md').sort(),
  ].filter((path) => existsSync(path))
  const snippets = readPages(pages)
  if (!process.argv.includes('--check')) writeFiles(files)
  const texts = new Map(pages.map((path) => [path, readFileSync(path, 'utf8')]))
  const { files: packed } = JSON.parse(packageJson) as { readonly files: readonly string[] }
  const { problems: chartProblems, summary } = checkCharts(chartFiles)
  const problems = [
    ...chartProblems,
    ...checkFiles(files),
    ...checkPaths(texts),
    ...checkEffects(texts.get('docs/architecture.md') ?? '', (path) => readFileSync(path, 'utf8')),
    ...checkSpans(texts.get('docs/guides/telemetry.md') ?? ''),
    ...checkEndings({ page: texts.get('docs/guides/endings.md') ?? '', sources: readSources(endingSources) }),
    ...checkOnce(texts),
    ...checkLinks(texts, packed),
    ...checkSurface(writeExports(doors), [...readSources(tellingPages).values()].join('\n')),
    ...checkSnippets(snippets, packageJson),
  ]
  for (const problem of problems) console.error(problem)
  const run = snippets.filter(({ runs }) => runs).length
  console.log(
    `docs: ${charts.length} charts, ${files.size} generated files, ${snippets.length} snippets checked, ${run} run`,
  )
  console.log(`docs: ${summary}`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
