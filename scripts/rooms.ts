import { globSync, readFileSync } from 'node:fs'
import { statePlants, statesNamedIn } from './rooms/judge-states.ts'
import { judgeModules, type Sources, type Violation } from './rooms/judge-modules.ts'
import { type Plant, plants } from './rooms/plants.ts'

/** The minimum counts; fewer mean that the lint does not work. Raise them as the code grows. */
const floor = { modules: 450, imports: 2200, rooms: 20 }

/** The result of checking the repository. */
interface RoomsReport {
  readonly modules: number
  readonly imports: number
  readonly rooms: number
  readonly violations: readonly Violation[]
  readonly missedPlants: readonly Plant[]
  readonly problems: readonly string[]
}

/** Judges the modules of the working folder, and proves with planted violations that each rule works. */
function checkRooms(): RoomsReport {
  const folders = [
    'src/**/*.ts',
    'machines/**/*.ts',
    'proof/**/*.ts',
    'scripts/**/*.ts',
    'test/**/*.ts',
    'bench/**/*.ts',
    'examples/**/*.ts',
  ]
  const paths = globSync(folders, { exclude: ['bench/peers/**', '**/node_modules/**'] })
  const sources = new Map(paths.sort().map((path) => [path, readFileSync(path, 'utf8')]))
  const doors = publicDoors(readFileSync('package.json', 'utf8'))
  const { violations, imports, rooms } = judgeModules(sources, doors)
  const problems: string[] = []
  const written = countImportLines(sources)
  if (sources.size < floor.modules)
    problems.push(`only ${sources.size} modules seen, expected ${floor.modules} or more`)
  if (imports < floor.imports) problems.push(`only ${imports} imports seen, expected ${floor.imports} or more`)
  if (rooms.length < floor.rooms) problems.push(`only ${rooms.length} rooms seen, expected ${floor.rooms} or more`)
  if (imports < written) problems.push(`${imports} imports seen, but a plain text search finds ${written}`)
  for (const [path, text] of sources) {
    for (const { name } of statesNamedIn(path, text)) {
      problems.push(`${path} names the state "${name}" of a chart. Ask a tag or a selector beside the chart instead.`)
    }
  }
  for (const { text, name } of statePlants) {
    const isSeen = statesNamedIn('src/plant.ts', text).some((found) => found.name === name)
    if (!isSeen) problems.push(`not caught: the state "${name}" in ${text}`)
  }
  const missedPlants = plants.filter((plant) => !isCaught(plant, sources, doors))
  return { modules: sources.size, imports, rooms: rooms.length, violations, missedPlants, problems }
}

/** Returns the source files of a package.json's public subpaths. */
export function publicDoors(packageJson: string): ReadonlySet<string> {
  const targets = packageJson.matchAll(/"\.\/dist\/([^"]+)\.js"/g)
  return new Set([...targets].map(([, path]) => `${path}.ts`))
}

function isCaught({ rule, path, text }: Plant, sources: Sources, doors: ReadonlySet<string>): boolean {
  const planted = new Map([...companions, ...sources, [path, text]])
  return judgeModules(planted, doors).violations.some((violation) => violation.rule === rule && violation.path === path)
}

/** Files that plants import, if the real files do not exist. */
const companions: Sources = new Map([
  ['src/core/stores/memory/memory-store.ts', 'export {}'],
  ['src/adapters/stores/plant-store.ts', 'export {}'],
  ['test/plant.test.ts', 'export {}'],
])

function countImportLines(sources: Sources): number {
  return [...sources.values()].flatMap((text) => text.match(/^(?:import|export)\b.*\bfrom '/gm) ?? []).length
}

if (import.meta.main) {
  const report = checkRooms()
  for (const { path, line, rule, message } of report.violations) console.error(`${path}:${line} [${rule}] ${message}`)
  for (const { path, rule, text } of report.missedPlants) console.error(`not caught: [${rule}] in ${path}: ${text}`)
  for (const problem of report.problems) console.error(problem)
  const failed = report.violations.length + report.missedPlants.length + report.problems.length
  const caught = plants.length - report.missedPlants.length
  console.log(
    `rooms: ${report.rooms} rooms, ${report.modules} modules, ${report.imports} imports, ` +
      `${report.violations.length} violations; ${caught} of ${plants.length} planted violations caught`,
  )
  if (process.argv.includes('--json')) console.log(JSON.stringify({ ...report, planted: plants.length, caught }))
  process.exitCode = failed === 0 ? 0 : 1
}
