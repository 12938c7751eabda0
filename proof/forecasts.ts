import { isDeepStrictEqual } from 'node:util'
import { changes } from './forecast/changes.ts'
import { judgeChange, openRuns } from './forecast/judge-change.ts'
import { type PlaceName, places } from './forecast/places.ts'
import { parseFlags } from './support/parse-flags.ts'
import { hasPostgres, sayNoPostgres } from './support/postgres-server.ts'

const { atOnce, stores, json } = parseFlags('forecasts', { atOnce: 4 }, [], ['stores'])
const start = performance.now()
const known = (Object.keys(places) as PlaceName[]).filter((name) => name !== 'Postgres' || hasPostgres)
sayNoPostgres('forecasts on Postgres')
const chosen = stores === undefined ? known : known.filter((name) => stores.split(',').includes(name))
const problems: string[] = []
let judged = 0
const left = chosen.flatMap((place) => changes.map(([name, change]) => ({ place, name, change })))
const matrix = left.length

async function judgeNext(): Promise<void> {
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const { place, name, change } = next
    const { said, seen, others, differing, unknown, checked, isWritten } = await judgeChange(change, place)
    judged += said.length
    const wrong = [
      ...(isDeepStrictEqual(said, seen) ? [] : [`said ${JSON.stringify(said)}, seen ${JSON.stringify(seen)}`]),
      ...(isDeepStrictEqual(others, differing) ? [] : [`said to differ ${others.join()}, differ ${differing.join()}`]),
      ...(unknown === 0 ? [] : [`${unknown} reasons are unknown`]),
      ...(isWritten ? ['the forecast wrote'] : []),
      ...(checked.every((count) => count === openRuns) ? [] : [`${checked.join()} runs checked`]),
    ]
    problems.push(...wrong.map((problem) => `${place}, ${name}: ${problem}`))
  }
}

await Promise.all(Array.from({ length: atOnce }, judgeNext))
const seconds = (performance.now() - start) / 1000
for (const problem of problems) console.error(problem)
console.log(
  `forecasts: ${changes.length} changes × ${openRuns} open runs on ${chosen.join(', ')}: ${judged} forecasts judged, ${problems.length} problems; ${seconds.toFixed(1)} s`,
)
if (json)
  console.log(JSON.stringify({ changes: changes.length, openRuns, matrix, stores: chosen, judged, problems, seconds }))
process.exitCode = problems.length === 0 && judged > 0 ? 0 : 1
