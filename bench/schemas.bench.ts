/**
 * Plays a copy of JSONSchemaBench that the reader has fetched, and counts how many of its labelled values are judged
 * right. Nothing of the data is part of this project.
 *
 * git clone --depth 1 https://github.com/guidance-ai/jsonschemabench
 * npm run bench:schemas -- jsonschemabench/maskbench/data
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkableSchema } from '../src/core/domain/json-schema/checkable-schema.ts'
import { isRecord, type JsonObject } from '../src/core/domain/text/json.ts'
import { thrownText } from '../src/core/domain/text/thrown-text.ts'
import { checkJsonSchema } from '../src/core/effects/tools/check-json-schema.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string', default: '1' }, show: { type: 'boolean', default: false } },
})
const [folder] = positionals
const every = Number(values.every)
if (folder === undefined || !Number.isSafeInteger(every) || every < 1) {
  console.error('Usage: npm run bench:schemas -- <folder of JSON files> [--every 4] [--show]')
  process.exit(1)
}

const counts = { schemas: 0, refused: 0, values: 0, right: 0, lax: 0, strict: 0, thrown: 0 }
let longestMs = 0
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .toSorted()
for (const name of names.filter((_, index) => index % every === 0)) {
  const file: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  if (isRecord(file) && isRecord(file['schema']) && Array.isArray(file['tests']))
    play(name, file['schema'], file['tests'])
}
const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(2)} %`
console.log(counts)
console.log(
  `right ${share(counts.right, counts.values)}, refused ${share(counts.refused, counts.schemas)} of the schemas`,
)
console.log(`longest check ${longestMs.toFixed(0)} ms`)

function play(name: string, given: Record<string, unknown>, tests: readonly unknown[]): void {
  const schema = given as JsonObject
  counts.schemas++
  try {
    checkableSchema(schema)
  } catch (error) {
    counts.refused++
    return show(name, `refused: ${thrownText(error)}`)
  }
  for (const test of tests) {
    if (!isRecord(test)) continue
    counts.values++
    const verdict = verdictOf(schema, test)
    counts[verdict]++
    if (verdict !== 'right') show(name, `${verdict}: ${String(test['description'])}`)
  }
}

function verdictOf(
  schema: JsonObject,
  { valid, data }: Record<string, unknown>,
): 'right' | 'lax' | 'strict' | 'thrown' {
  const startedAt = performance.now()
  try {
    const isValid = checkJsonSchema(schema, data).issues === undefined
    if (isValid === valid) return 'right'
    return isValid ? 'lax' : 'strict'
  } catch {
    return 'thrown'
  } finally {
    longestMs = Math.max(longestMs, performance.now() - startedAt)
  }
}

function show(name: string, text: string): void {
  if (values.show) console.log(`${name}: ${text}`)
}
