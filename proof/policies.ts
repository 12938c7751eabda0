import { plantedHoles, verdictWith } from './policies/planted-holes.ts'
import { judgeAgents } from './policies/judge-agents.ts'
import { parseFlags } from './support/parse-flags.ts'

const standard = { calls: 3, decisions: 3, crashes: 2 }
const { json, ...bound } = parseFlags('policies', standard, [], [])
const start = performance.now()
const judged = await judgeAgents(bound)
const proven = judged.filter(({ verdict }) => verdict === 'proven').length
const broken = judged.filter(({ verdict }) => verdict === 'broken').length
const wrong = judged.filter(({ problem }) => problem !== undefined)
for (const { policy, problem } of wrong) console.error(`${policy}: ${problem}`)
const seconds = (performance.now() - start) / 1000
const { calls, decisions, crashes } = bound
console.log(
  `policies: ${proven} proven and ${broken} broken within ${calls} calls, ${decisions} decisions and ${crashes} crashes, in ${seconds.toFixed(1)} s`,
)
let missed = 0
for (const hole of plantedHoles) {
  const verdict = await verdictWith(hole, true)
  if (verdict !== hole.truth) continue
  missed++
  console.error(`not found: ${hole.name}`)
}
console.log(`policies: ${plantedHoles.length - missed} of ${plantedHoles.length} planted holes found`)
if (json) console.log(JSON.stringify({ proven, broken, wrong, seconds, missed }))
process.exitCode = wrong.length + missed === 0 ? 0 : 1
