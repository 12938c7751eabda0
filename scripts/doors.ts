import { readFileSync } from 'node:fs'
import { subpaths } from './docs/snippets.ts'
import { emitDeclarations } from './doors/emit-declarations.ts'
import { type Plant, plants } from './doors/plants.ts'
import { readDeclarations } from './doors/read-declarations.ts'
import { type Finding, type Library, walkDoors } from './doors/walk-doors.ts'

/** The minimum counts; fewer mean that the walk does not work. Raise them as the package grows. */
const floor = { modules: 200, doors: 14, reached: 200 }

/** The result of one walk through the public entry points. */
export interface DoorsReport {
  readonly modules: number
  readonly doors: number
  /** The number of exported names. */
  readonly exported: number
  /** The number of names reached from the entry points, including the exported ones. */
  readonly reached: number
  readonly findings: readonly Finding[]
  readonly missedPlants: readonly Plant[]
  readonly problems: readonly string[]
}

/**
 * Walks through the entry points of the working folder's package, and proves with planted names that the walk finds
 * them.
 */
export function checkDoors(): DoorsReport {
  const texts = emitDeclarations()
  const doors = Object.values(subpaths(readFileSync('package.json', 'utf8')))
  const library: Library = new Map([...texts].map(([module, text]) => [module, readDeclarations(module, text)]))
  const { exported, reached, findings } = walkDoors(library, doors)
  const seen = { modules: library.size, doors: doors.filter((door) => library.has(door)).length, reached }
  const problems = Object.entries(floor).flatMap(([what, least]) => {
    const count = seen[what as keyof typeof floor]
    return count < least ? [`only ${count} ${what} seen, expected ${least} or more`] : []
  })
  const missedPlants = plants.filter(({ rule, name, module, text }) => {
    const planted = readDeclarations(module, `${texts.get(module) ?? ''}\n${text}`)
    const walk = walkDoors(new Map([...library, [module, planted]]), doors)
    return !walk.findings.some((finding) => finding.rule === rule && finding.name === name)
  })
  return { ...seen, exported, findings, missedPlants, problems }
}

/** Advice about a name, by the broken rule. */
const wishes: Readonly<Record<Finding['rule'], string>> = {
  'not exported': 'export it from a door, or write the type before it without it',
  'engine internal':
    'no name of the runtime or of the effect handlers may be reached: write the type before it without it',
  missing: 'no module declares it',
}

if (import.meta.main) {
  const report = checkDoors()
  for (const { rule, module, name, way } of report.findings) {
    console.error(`${name} of ${module} [${rule}] reached by ${way.join(' > ')}: ${wishes[rule]}`)
  }
  for (const { rule, module, text } of report.missedPlants) console.error(`not found: [${rule}] in ${module}: ${text}`)
  for (const problem of report.problems) console.error(problem)
  const caught = plants.length - report.missedPlants.length
  console.log(
    `doors: ${report.doors} doors, ${report.modules} modules, ${report.exported} names exported, ` +
      `${report.reached} reached, ${report.findings.length} forgotten; ${caught} of ${plants.length} planted names found`,
  )
  if (process.argv.includes('--json')) console.log(JSON.stringify({ ...report, planted: plants.length, caught }))
  process.exitCode = report.findings.length + report.missedPlants.length + report.problems.length === 0 ? 0 : 1
}
