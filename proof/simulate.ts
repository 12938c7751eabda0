import { availableParallelism } from 'node:os'
import { splitRuns } from './simulation/split-runs.ts'
import { parseFlags } from './support/parse-flags.ts'

const flags = parseFlags('simulate', { runs: 10_000, seed: 1, threads: availableParallelism(), fault: 0 }, [
  'planted',
  'first',
  'sqlite',
])
const { runs, seed, json } = flags
const start = performance.now()
if (flags.planted) {
  const { plantOrders } = await import('./simulation/plant-orders.ts')
  const { planted, found, missed } = await plantOrders(flags.fault)
  console.log(`${found} of ${planted} planted faults found (${seconds()} s)`)
  if (json) console.log(JSON.stringify({ planted, found, missed, seconds: seconds() }))
  process.exitCode = planted > 0 && missed.length === 0 ? 0 : 1
} else {
  const report = await splitRuns({ runs, seed, isFirst: flags.first, isSqlite: flags.sqlite }, flags.threads)
  for (const { story, seed: failed } of report.found) console.log(`seed ${failed}:\n  ${story.join('\n  ')}`)
  const each = (count: number) => Math.round((count / report.runs) * 10) / 10
  console.log(
    `${report.runs} runs from seed ${seed}, each with ${each(report.commits)} commits and ${each(report.faults)} faults: ` +
      `${report.found.length} failed (${seconds()} s)`,
  )
  if (json) console.log(JSON.stringify({ ...report, seconds: seconds() }))
  process.exitCode = report.found.length === 0 && report.runs > 0 ? 0 : 1
}

function seconds(): number {
  return Math.round((performance.now() - start) / 100) / 10
}
