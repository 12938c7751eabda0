import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leaseMs } from './chaos/chaos-agent.ts'
import { playSqlite } from './chaos/play-chaos.ts'
import { parseFlags } from './support/parse-flags.ts'

const { runs, faults, seed, json } = parseFlags('chaos', { runs: 300, faults: 100, seed: Date.now() % 1_000_000 })
const mostStallMs = leaseMs + 2000
const folder = mkdtempSync(join(tmpdir(), 'chaos-'))
const report = await playSqlite(folder, { runs, faults, seed })
rmSync(folder, { recursive: true })

const { name, lost, doubled, longestStallMs, problems } = report
const counts = `${report.runs} runs, ${report.faults} faults, ${lost} lost, ${doubled} doubled`
console.log(`${name} (seed ${seed}): ${counts}, longest stall ${longestStallMs} ms of at most ${mostStallMs}`)
for (const problem of problems) console.log(`  ${problem}`)
if (json) console.log(JSON.stringify({ seed, settings: [report] }))
process.exitCode = lost + doubled > 0 || longestStallMs > mostStallMs ? 1 : 0
