import { mutants } from './mutants/all-mutants.ts'
import { readEquivalents } from './mutants/equivalents.ts'
import { reportOn, tableOf } from './mutants/report.ts'
import { judgeMutants, mutantPool, recordReaches } from './mutants/run-mutants.ts'
import { sampleOf } from './mutants/sample.ts'
import { countSeenByGolden } from './mutants/seen-by-golden.ts'
import { parseFlags } from './support/parse-flags.ts'

const { sample, seed, json, both } = parseFlags('mutants', { sample: 0, seed: Math.floor(Math.random() * 2 ** 32) }, [
  'both',
])
const start = performance.now()
const chosen = sample === 0 ? mutants : sampleOf(mutants, sample, seed)
if (sample > 0) console.log(`${chosen.length} of ${mutants.length} mutants, seed ${seed}`)

const pool = mutantPool(2)
const reaches = await recordReaches(pool)
let count = 0
const judged = await judgeMutants(pool, chosen, reaches, both ? 'both' : 'tables', () => {
  if (++count % 200 === 0) console.log(`${count} judged (${secondsSince(start)} s)`)
})
const equivalents = readEquivalents()
const known = mutants.map(({ id }) => id)
const report = reportOn(judged, equivalents, known)
const { total, killed, survived, equivalent, mistaken, unknown } = report

for (const line of tableOf(judged)) console.log(line)
const by = (who: string) => judged.filter(({ verdict }) => verdict.by === who).length
console.log(`noticed by the oracle ${by('oracle')}, by scenarios ${by('scenario')}, by not ending ${by('hang')}`)
console.log(`the golden graphs show ${countSeenByGolden(chosen)} of ${total}, which does not count`)
for (const { mutant, verdict } of judged)
  if (verdict.by === 'hang') console.log(`no end: ${mutant.id} (${verdict.what})`)
for (const id of equivalent) console.log(`equivalent: ${id}\n  ${equivalents.get(id)}`)
for (const id of survived) console.error(`survived: ${id}`)
for (const { mutant, verdict } of judged)
  if (verdict.by === 'difference') console.error(`stepped differently: ${mutant.id}\n${verdict.what}`)
for (const id of mistaken) console.error(`listed as equivalent and killed: ${id}`)
for (const id of unknown) console.error(`listed as equivalent and no mutant: ${id}`)
console.log(
  `mutants: ${killed}/${total} killed, ${equivalent.length} equivalent, ${survived.length} survived (${secondsSince(start)} s)`,
)
if (json) console.log(JSON.stringify({ ...report, seed: sample > 0 ? seed : null, seconds: secondsSince(start) }))
process.exitCode = survived.length + mistaken.length + unknown.length === 0 ? 0 : 1

function secondsSince(since: number): number {
  return Math.round((performance.now() - since) / 100) / 10
}
