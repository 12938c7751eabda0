import { playCombination } from './permissions/play-combination.ts'
import { parseFlags } from './support/parse-flags.ts'

const { runs, seed, json } = parseFlags('permissions', { runs: 10_000, seed: Date.now() % 2 ** 31 })
console.log(`seed ${seed}`)
let performed = 0
let granted = 0
const failures: { readonly seed: number; readonly faults: readonly string[] }[] = []
for (let at = 0; at < runs; at++) {
  const played = await playCombination(seed + at)
  performed += played.performed
  granted += played.granted
  if (played.faults.length > 0) failures.push({ seed: seed + at, faults: played.faults })
}
for (const failure of failures.slice(0, 10)) console.error(`seed ${failure.seed}: ${failure.faults.join('; ')}`)
console.log(`${runs} combinations, ${performed} calls performed, ${granted} by a grant, ${failures.length} failed`)
if (json) console.log(JSON.stringify({ combinations: runs, seed, performed, granted, failed: failures.length }))
process.exitCode = failures.length === 0 && ((performed > 0 && granted > 0) || runs < 100) ? 0 : 1
