import { serveElsewhere } from './permissions/elsewhere.ts'
import { type Way, ways } from './permissions/family-ways.ts'
import { playCombination } from './permissions/play-combination.ts'
import { mostUnnoticed, nextLevel, playFamily } from './permissions/play-family.ts'
import { parseFlags } from './support/parse-flags.ts'
import { showProgress } from './support/progress.ts'

const defaults = { runs: 10_000, families: 10_000, seed: Date.now() % 2 ** 31 }
const { runs, families, seed, json } = parseFlags('permissions', defaults)
console.log(`seed ${seed}`)
const failures: { readonly seed: number; readonly faults: readonly string[] }[] = []
function judged(at: number, faults: readonly string[]): void {
  if (faults.length > 0) failures.push({ seed: seed + at, faults })
}

let performed = 0
let granted = 0
for (let at = 0; at < runs; at++) {
  showProgress(`${at} of ${runs} combinations`)
  const played = await playCombination(seed + at)
  performed += played.performed
  granted += played.granted
  judged(at, played.faults)
}
const failedAlone = failures.length

await using elsewhere = await serveElsewhere(nextLevel)
const inFamilies = { families, performed: 0, agreed: 0, failed: 0 }
const begun = new Map<Way, number>(ways.map((way) => [way, 0]))
for (let at = 0; at < families; at++) {
  showProgress(`${at} of ${families} families`)
  const played = await playFamily(seed + at, elsewhere)
  inFamilies.performed += played.performed
  inFamilies.agreed += played.agreed
  for (const way of played.ways) begun.set(way, (begun.get(way) ?? 0) + 1)
  judged(at, played.faults)
}
inFamilies.failed = failures.length - failedAlone
/** For each way, the number of families after which it is noticed that its members forget the rules above them. */
const noticedAfter: { [way: string]: number } = {}
for (const way of families === 0 ? [] : ways) {
  for (let at = 0; at < mostUnnoticed && noticedAfter[way] === undefined; at++)
    if ((await playFamily(seed + at, elsewhere, way)).faults.length > 0) noticedAfter[way] = at + 1
}
const unnoticed = families === 0 ? [] : ways.filter((way) => noticedAfter[way] === undefined)

for (const failure of failures.slice(0, 10)) console.error(`seed ${failure.seed}: ${failure.faults.join('; ')}`)
console.log(`${runs} combinations, ${performed} calls performed, ${granted} by a grant, ${failedAlone} failed`)
const told = ways.map((way) => `${begun.get(way)} by ${way} (a fault is noticed after ${noticedAfter[way] ?? 'none'})`)
console.log(
  `${families} families of three levels, ${inFamilies.performed} calls performed, ${inFamilies.agreed} agreed to, ` +
    `${inFamilies.failed} failed; ${told.join(', ')}`,
)
const alone = { combinations: runs, seed, performed, granted, failed: failedAlone }
if (json)
  console.log(
    JSON.stringify({ ...alone, inFamilies: { ...inFamilies, ways: Object.fromEntries(begun), noticedAfter } }),
  )
const isPlayed = (performed > 0 && granted > 0) || runs < 100
process.exitCode = failures.length === 0 && unnoticed.length === 0 && isPlayed ? 0 : 1
