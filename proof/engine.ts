import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playObjects } from './engines/play-objects.ts'
import { hasRestate, noRestate } from './engines/restate-server.ts'
import { clusterSetting, restateSetting } from './engines/restate-setting.ts'
import { walkCuts } from './engines/walk-cuts.ts'
import { hasWorkerd, noWorkerd } from './engines/workerd.ts'
import { workerdSetting } from './engines/workerd-setting.ts'
import { parseFlags } from './support/parse-flags.ts'

const defaults = { runs: 300, faults: 200, seed: Date.now() % 1_000_000, effect: 20, patience: 60, every: 1 }
const { runs, faults, seed, effect, patience, every, cuts, json, plant, only } = parseFlags(
  'engine',
  defaults,
  ['cuts'],
  ['plant', 'only'],
)
const mostStallMs = 10_000

const engines = [
  { name: 'Durable Object', open: workerdSetting, isHere: hasWorkerd, reason: noWorkerd },
  { name: 'Restate', open: restateSetting, isHere: hasRestate, reason: noRestate },
  { name: 'Restate cluster', open: clusterSetting, isHere: hasRestate, reason: noRestate },
]
const wanted = engines.filter(({ name }) => only === undefined || name === only)
if (wanted.length === 0) throw new Error(`--only is ${only}; expected ${engines.map(({ name }) => name).join(' or ')}.`)

const settings = []
const skipped = []
for (const { name, open, isHere, reason } of wanted) {
  if (!isHere) {
    console.log(`${name}: skipped. ${reason}.`)
    skipped.push({ name, reason })
    continue
  }
  const folder = mkdtempSync(join(tmpdir(), 'engine-'))
  if (cuts) {
    const report = { name, ...(await walkCuts(open, { folder, plant, every, patienceMs: patience * 1000 })) }
    console.log(
      `${name}: ${report.cuts} cuts, ${report.lost} lost, ${report.doubled} doubled, ${report.changed} other transcripts`,
    )
    for (const problem of report.problems) console.log(`  ${problem}`)
    if (report.cuts === 0 || report.problems.length + report.doubled > 0) process.exitCode = 1
    settings.push(report)
    rmSync(folder, { recursive: true })
    continue
  }
  const plan = { folder, runs, faults, seed, effectMs: effect, patienceMs: patience * 1000, plant }
  const report = { name, ...(await playObjects(open, plan)) }
  rmSync(folder, { recursive: true })
  const struck = Object.entries(report.faults).map(([fault, count]) => `${count} ${fault}`)
  const counts = `${report.runs} runs, ${struck.join(', ')}, ${report.lost} lost, ${report.doubled} doubled`
  const stall = `longest stall ${report.longestStallMs} ms of at most ${mostStallMs}`
  console.log(`${name} (seed ${seed}): ${counts}, ${stall}, ${report.interrupted} calls interrupted`)
  for (const problem of report.problems) console.log(`  ${problem}`)
  if (report.lost + report.doubled > 0 || report.longestStallMs > mostStallMs) process.exitCode = 1
  settings.push(report)
}
if (json) console.log(JSON.stringify({ seed, settings, skipped }))
