import { globSync, readFileSync } from 'node:fs'
import { type Citation, citationPlants, missingPages } from './words/judge-citations.ts'
import { type KnownState, statePlants, statesNamedIn } from './words/judge-states.ts'
import { retiredWordIn } from './words/judge-words.ts'
import { type Plant, plants } from './words/plants.ts'
import { readIdentifiers } from './words/read-identifiers.ts'
import { retiredWords } from './words/retired-words.ts'

/** Fewer than this and the lint has not looked; raise them as the code grows. */
const floor = { files: 450, identifiers: 60_000, texts: 900 }

/** A retired word that somebody used again. */
export interface Finding {
  readonly path: string
  /** 0 where the word is in the path. */
  readonly line: number
  readonly name: string
  readonly word: string
}

/** The result of one look at the repository. */
export interface WordsReport {
  readonly files: number
  readonly identifiers: number
  /** Files whose citations were read. */
  readonly texts: number
  readonly findings: readonly Finding[]
  readonly citations: readonly Citation[]
  /** Files outside the charts that name a state. */
  readonly states: readonly KnownState[]
  readonly missedPlants: readonly Plant[]
  readonly problems: readonly string[]
}

/**
 * Reads the names of every file of the product, its proof and its tests, the states of the charts that files outside them
 * name, and the pages that any text of the repository cites, then proves that planted ones are found.
 */
function checkWords(): WordsReport {
  const paths = globSync(['src/**/*', 'machines/**/*', 'proof/**/*', 'test/**/*'], { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
    .sort()
  let identifiers = 0
  const findings = paths.flatMap((path) => {
    const names = path.endsWith('.ts') ? readIdentifiers(path, readFileSync(path, 'utf8')) : []
    identifiers += names.length
    return judgeFile(path, names)
  })
  const states = paths.flatMap((path) => (path.endsWith('.ts') ? statesNamedIn(path, readFileSync(path, 'utf8')) : []))
  const { texts, citations, missedCitations } = readCitations()
  const seen = { files: paths.length, identifiers, texts }
  const problems = Object.entries(floor).flatMap(([what, least]) => {
    const count = seen[what as keyof typeof floor]
    return count < least ? [`only ${count} ${what} seen, expected ${least} or more`] : []
  })
  problems.push(...missedCitations)
  for (const { text, name } of statePlants) {
    const isFound = statesNamedIn('src/plant.ts', text).some((found) => found.name === name)
    if (!isFound) problems.push(`not found: the state "${name}" in ${text}`)
  }
  const missedPlants = plants.filter(({ path, text, word }) => {
    const found = judgeFile(path, readIdentifiers(path, text))
    return !found.some((finding) => finding.word === word)
  })
  return { ...seen, findings, citations, states, missedPlants, problems }
}

/** Pages that are cited and not here; nobody who has the repository could read them. */
function readCitations() {
  const folders = '{src,machines,proof,test,scripts,bench,examples,docs,bin}/**/*.{ts,js,md}'
  const paths = globSync([folders, '*.md'], { exclude: ['**/node_modules/**', 'scripts/words/judge-citations.ts'] })
  const pages = new Set(paths.filter((path) => path.endsWith('.md')))
  const citations = paths.sort().flatMap((path) => missingPages(path, readFileSync(path, 'utf8'), pages))
  const isMissed = ({ text, page }: (typeof citationPlants)[number]) =>
    !missingPages('plant.ts', text, pages).some((found) => found.page === page)
  const missed = citationPlants.filter(isMissed)
  return { texts: paths.length, citations, missedCitations: missed.map(({ text }) => `not found: the page in ${text}`) }
}

function judgeFile(path: string, names: ReturnType<typeof readIdentifiers>): readonly Finding[] {
  return [{ name: path, line: 0 }, ...names].flatMap(({ name, line }) => {
    const word = retiredWordIn(name)
    return word === undefined ? [] : [{ path, line, name, word }]
  })
}

if (import.meta.main) {
  const { files, identifiers, texts, findings, citations, states, missedPlants, problems } = checkWords()
  for (const { path, line, name, word } of findings) {
    const place = line === 0 ? path : `${path}:${line} ${name}`
    console.error(`${place} holds the retired word "${word}". Say ${retiredWords.get(word)}; see docs/glossary.md.`)
  }
  for (const { path, line, page } of citations) {
    console.error(
      `${path}:${line} cites "${page}", which is no page of this repository. Say the rule, or name one that is.`,
    )
  }
  for (const { path, name } of states) {
    console.error(`${path} names the state "${name}" of a chart. Ask a tag or a selector beside the chart instead.`)
  }
  for (const { path, text, word } of missedPlants) console.error(`not found: "${word}" in ${path}: ${text}`)
  for (const problem of problems) console.error(problem)
  const caught = plants.length - missedPlants.length
  console.log(
    `words: ${files} files, ${identifiers} identifiers, ${retiredWords.size} retired words, ` +
      `${findings.length} found; ${texts} texts, ${citations.length} cite a page that is not here; ${states.length} name a state of a chart; ${caught} of ${plants.length} planted ones found`,
  )
  if (process.argv.includes('--json')) {
    console.log(
      JSON.stringify({
        files,
        identifiers,
        texts,
        findings,
        citations,
        states,
        missedPlants,
        problems,
        planted: plants.length,
        caught,
      }),
    )
  }
  process.exitCode =
    findings.length + citations.length + states.length + missedPlants.length + problems.length === 0 ? 0 : 1
}
