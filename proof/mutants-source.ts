import { join } from 'node:path'
import { listAllMutants, listSources, root } from './mutants-source/all-mutants.ts'
import { copyTree, removeTree } from './mutants-source/copy-tree.ts'
import { CoverageCache, type CoveringTest } from './mutants-source/coverage-cache.ts'
import { equivalents, left, readExplained } from './mutants-source/equivalents.ts'
import { Judge } from './mutants-source/judge-mutant.ts'
import type { SourceMutant } from './mutants-source/list-mutants.ts'
import { rankMutants } from './mutants-source/rank-mutants.ts'
import { recordSample } from './mutants-source/recorded-sample.ts'
import { holds, reportOn } from './mutants-source/report.ts'
import { type Result, ResultsFile } from './mutants-source/results-file.ts'
import { TypeCheck } from './mutants-source/type-check.ts'
import { parseFlags } from './support/parse-flags.ts'

const standard = { count: 100, seed: Math.floor(Math.random() * 2 ** 32), patience: 60 }
const flags = parseFlags('mutants:source', standard, ['again', 'record'], ['resume', 'only'])
const { count, seed, patience, again, record, resume, only = '', json } = flags
/** The number of mutants that the gate judges again. */
const recordedSize = 12
const start = performance.now()

const all = listAllMutants()
const results = new ResultsFile(resume)
const copy = copyTree(root)
const coverage = new CoverageCache(join(root, 'node_modules/.cache/mutants-source/coverage.json'), copy)
await coverage.collect(listSources(), (file, missing) => console.log(`coverage of ${file}; ${missing} to go`))
for (const file of coverage.failing()) console.log(`fails by itself and judges nothing: ${file}`)

const types = new TypeCheck(copy.root)
const judge = new Judge({ copy, types, coverage, patience: patience * 1000 })
const leave = () => {
  judge.stop()
  types.close()
  removeTree(copy)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    leave()
    process.exit(1)
  })

await judge.checkUnchanged('src/core/domain/text/json.ts')
console.log(`${count} of ${all.length} mutants, seed ${seed}`)
const sample: Result[] = []
if (again) for (const mutant of all) if (results.of(mutant.id)?.kind === 'survived') await take(mutant)
for (const mutant of rankMutants(all, seed)) {
  if (sample.length >= count) break
  if (!mutant.file.startsWith(only)) continue
  const result = results.of(mutant.id) ?? (await take(mutant))
  if (result.kind !== 'uncompiled') sample.push(result)
}
leave()
if (record) recordSample(sample, recordedSize)

const lists = { equivalents: readExplained(equivalents), left: readExplained(left) }
const report = reportOn(results.all(), lists, new Set(all.map(({ id }) => id)))
const { total, killed, survived, equivalent, unexplained, mistaken, unknown, score } = report
for (const id of equivalent) console.log(`equivalent: ${id}\n  ${lists.equivalents.get(id)}`)
for (const id of survived) console.log(`survived: ${id}\n  ${lists.left.get(id) ?? 'no reason given'}`)
for (const id of mistaken) console.error(`listed as a survivor and killed: ${id}`)
for (const id of unknown) console.error(`listed as a survivor and no mutant: ${id}`)
const share = `${(score * 100).toFixed(1)} % of those not equivalent`
console.log(
  `mutants:source: ${killed}/${total} killed (${share}), ${equivalent.length} equivalent, ${survived.length} survived, ${unexplained.length} of them without a reason (${secondsSince(start)} s)`,
)
if (json) console.log(JSON.stringify({ ...report, seed, seconds: secondsSince(start) }))
process.exitCode = holds(report) ? 0 : 1

/** Judges a mutant and keeps what it came to; a known survivor on what was written or changed since, or left out. */
async function take(mutant: SourceMutant): Promise<Result> {
  const known = results.of(mutant.id)
  const isWanted = (test: CoveringTest) =>
    known?.kind !== 'survived' || test.at > known.at || known.untried.includes(test.file)
  const at = Date.now()
  const verdict = await judge.judge(mutant, isWanted)
  const result = { id: mutant.id, seed: known?.seed ?? seed, at, milliseconds: Date.now() - at, ...verdict }
  results.add(result)
  if (result.kind !== 'uncompiled') console.log(lineOf(result, mutant.line))
  return result
}

function lineOf(result: Result, line: number): string {
  const by = result.kind === 'killed' ? ` by ${result.file}: ${result.by}` : ''
  const untried =
    result.kind === 'survived' && result.untried.length > 0 ? ` (${result.untried.length} test files not tried)` : ''
  return `${result.kind}, line ${line}: ${result.id}${by}${untried}`
}

function secondsSince(since: number): number {
  return Math.round((performance.now() - since) / 100) / 10
}
