import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleWorker } from './engines/bundle-worker.ts'
import { playObjects } from './engines/play-objects.ts'
import { hasWorkerd, noWorkerd } from './engines/workerd.ts'
import { parseFlags } from './support/parse-flags.ts'

const defaults = { runs: 300, faults: 200, seed: Date.now() % 1_000_000, effect: 20, patience: 60 }
const { runs, faults, seed, effect, patience, json, plant } = parseFlags('engine', defaults, [], ['plant'])
const name = 'Durable Object on workerd, killed and evicted'
const mostStallMs = 10_000

if (hasWorkerd) {
  const folder = mkdtempSync(join(tmpdir(), 'engine-'))
  const script = await bundleWorker('proof/engines/workers/run-worker.ts')
  const plan = { script, folder, runs, faults, seed, effectMs: effect, patienceMs: patience * 1000, plant }
  const report = { name, ...(await playObjects(plan)) }
  rmSync(folder, { recursive: true })
  const counts = `${report.runs} runs, ${report.kills} kills, ${report.evictions} evictions, ${report.lost} lost, ${report.doubled} doubled`
  const stall = `longest stall ${report.longestStallMs} ms of at most ${mostStallMs}`
  console.log(`${name} (seed ${seed}): ${counts}, ${stall}, ${report.interrupted} calls interrupted`)
  for (const problem of report.problems) console.log(`  ${problem}`)
  if (json) console.log(JSON.stringify({ seed, settings: [report], skipped: [] }))
  process.exitCode = report.lost + report.doubled === 0 && report.longestStallMs <= mostStallMs ? 0 : 1
} else {
  console.log(`${name}: skipped. ${noWorkerd}.`)
  if (json) console.log(JSON.stringify({ seed, settings: [], skipped: [{ name, reason: noWorkerd }] }))
}
