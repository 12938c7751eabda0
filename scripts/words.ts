import { globSync, readFileSync } from 'node:fs'
import { citationPlants, missingPages } from './words/judge-citations.ts'
import { statePlants, statesNamedIn } from './words/judge-states.ts'

/** With fewer files the lint has not looked. */
const leastFiles = 900

const folders = '{src,machines,proof,test,scripts,bench,examples,docs,bin}/**/*.{ts,js,md}'
const paths = globSync([folders, '*.md'], {
  exclude: ['**/node_modules/**', 'scripts/words/judge-citations.ts'],
}).sort()
const pages = new Set(paths.filter((path) => path.endsWith('.md')))
const texts = paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }))
const citations = texts.flatMap(({ path, text }) => missingPages(path, text, pages))
const states = texts.flatMap(({ path, text }) => (path.endsWith('.ts') ? statesNamedIn(path, text) : []))
const missed = [
  ...citationPlants.filter(
    ({ text, page }) => !missingPages('plant.ts', text, pages).some((found) => found.page === page),
  ),
  ...statePlants.filter(({ text, name }) => !statesNamedIn('src/plant.ts', text).some((found) => found.name === name)),
]

for (const { path, line, page } of citations) {
  console.error(
    `${path}:${line} cites "${page}", which is no page of this repository. Say the rule, or name one that is.`,
  )
}
for (const { path, name } of states) {
  console.error(`${path} names the state "${name}" of a chart. Ask a tag or a selector beside the chart instead.`)
}
for (const { text } of missed) console.error(`not found: ${text}`)
if (texts.length < leastFiles) console.error(`only ${texts.length} files seen, expected ${leastFiles} or more`)
const planted = citationPlants.length + statePlants.length
console.log(
  `words: ${texts.length} files; ${citations.length} cite a page that is not here; ${states.length} name a state of a chart; ` +
    `${planted - missed.length} of ${planted} planted ones found`,
)
const problems = citations.length + states.length + missed.length
process.exitCode = problems === 0 && texts.length >= leastFiles ? 0 : 1
