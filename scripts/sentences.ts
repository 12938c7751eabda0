import { globSync, readFileSync } from 'node:fs'
import { type Plant, plants } from './sentences/plants.ts'
import { type ExportedName, readExports } from './sentences/read-exports.ts'

/** What is looked at. The charts' own files are not yet. */
const looked = ['src/**/*.ts', 'machines/**/*.ts']

/** Fewer than this and the check has not looked; raise them as the code grows. */
const floor = { files: 200, names: 650 }

/** An exported name nobody has said a word about. */
export interface Finding extends ExportedName {
  readonly path: string
}

/** The result of one look at the exported names. */
export interface SentencesReport {
  readonly files: number
  readonly names: number
  readonly findings: readonly Finding[]
  readonly missedPlants: readonly Plant[]
  readonly problems: readonly string[]
}

/** Looks for exported names without a sentence, then proves with planted ones that it finds them. */
export function checkSentences(): SentencesReport {
  const paths = globSync(looked).sort()
  const names = paths.flatMap((path) =>
    readExports(path, readFileSync(path, 'utf8')).map((name): Finding => ({ path, ...name })),
  )
  const seen = { files: paths.length, names: names.length }
  const problems = Object.entries(floor).flatMap(([what, least]) => {
    const count = seen[what as keyof typeof floor]
    return count < least ? [`only ${count} ${what} seen, expected ${least} or more`] : []
  })
  const missedPlants = plants.filter(
    ({ name, text }) => !readExports('plant.ts', text).some((found) => found.name === name && isWithout(found)),
  )
  return { ...seen, findings: names.filter(isWithout), missedPlants, problems }
}

/** True where there is no sentence, or one that only says the name again. */
function isWithout({ name, sentence }: ExportedName): boolean {
  const said = sentence.replaceAll(/\b(the|a|an)\b|[^a-z]/gi, '')
  return said === '' || said.toLowerCase() === name.toLowerCase()
}

if (import.meta.main) {
  const { files, names, findings, missedPlants, problems } = checkSentences()
  for (const { path, line, name } of findings) {
    console.error(`${path}:${line} ${name} has no sentence. Say its shape, units, defaults or errors in a doc comment.`)
  }
  for (const { name, text } of missedPlants) console.error(`not found: ${name} in ${JSON.stringify(text)}`)
  for (const problem of problems) console.error(problem)
  const caught = plants.length - missedPlants.length
  console.log(
    `sentences: ${files} files, ${names} exported names, ${findings.length} without a sentence; ` +
      `${caught} of ${plants.length} planted ones found`,
  )
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ files, names, findings, missedPlants, problems, planted: plants.length, caught }))
  }
  process.exitCode = findings.length + missedPlants.length + problems.length === 0 ? 0 : 1
}
