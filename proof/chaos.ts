import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leaseMs } from './chaos/chaos-agent.ts'
import { type ChaosReport, playChaos } from './chaos/play-chaos.ts'
import { settings } from './chaos/settings.ts'
import { parseFlags } from './support/parse-flags.ts'
import { hasPostgres, noPostgres } from './support/postgres-server.ts'

const defaults = { runs: 300, faults: 100, seed: Date.now() % 1_000_000, patience: 120 }
const flags = parseFlags('chaos', defaults, [], ['stores', 'plant'])
const { runs, faults, seed, json, plant } = flags
const names = flags.stores?.split(',') ?? settings.map(({ store }) => store)
const unknown = names.find((name) => settings.every(({ store }) => store !== name))
if (unknown !== undefined) {
  console.error(`--stores has "${unknown}"; known are ${settings.map(({ store }) => store).join(', ')}.`)
  process.exit(1)
}
const mostStallMs = leaseMs + 2000
/** A message that a process took and did not deliver is delivered by another one after 10 s. */
const mostUntoldMs = 10_000 + 2000
const plan = { runs, faults, seed, patienceMs: flags.patience * 1000, plant }
const reports: ChaosReport[] = []
const skipped: { readonly name: string; readonly reason: string }[] = []

for (const setting of settings.filter(({ store }) => names.includes(store))) {
  if (setting.store === 'Postgres' && !hasPostgres) {
    skipped.push({ name: setting.name, reason: noPostgres })
    console.log(`${setting.name}: skipped. ${noPostgres}.`)
    continue
  }
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'))
  const report = await playChaos(setting, folder, plan)
  rmSync(folder, { recursive: true })
  reports.push(report)
  const counts = `${report.runs} runs, ${report.families} of them families, ${report.faults} faults, ${report.lost} lost, ${report.doubled} doubled`
  const stall = `longest stall ${report.longestStallMs} ms of at most ${mostStallMs}, end of a child untold for ${report.longestUntoldMs} ms of at most ${mostUntoldMs}`
  console.log(`${report.name} (seed ${seed}): ${counts}, ${stall} (${report.told})`)
  for (const problem of report.problems) console.log(`  ${problem}`)
}

if (json) console.log(JSON.stringify({ seed, settings: reports, skipped }))
const isInTime = (one: ChaosReport) => one.longestStallMs <= mostStallMs && one.longestUntoldMs <= mostUntoldMs
const isSound = reports.every((one) => one.lost + one.doubled === 0 && isInTime(one))
process.exitCode = isSound ? 0 : 1
