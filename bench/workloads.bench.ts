import { parseFlags } from '../proof/support/parse-flags.ts'
import { chosenNames } from './chosen-names.ts'
import { checkLimits } from './limits.ts'
import { machineName } from './machine-name.ts'
import type { Measured } from './measure-workload.ts'
import { printLimits, printResults } from './report.ts'
import { startWorkload } from './start-workload.ts'
import { workloads } from './workload-table.ts'

// Without rounds or a size, a workload has its own.
const { json, only: given, ...asked } = parseFlags('bench', { rounds: 0, size: 0 }, [], ['only'])
const known = workloads.map(({ name }) => name)
const only = chosenNames(given, known, 'workload')
const [rounds, size] = [asked.rounds || undefined, asked.size || undefined]
if (size !== undefined && only.length !== 1) {
  console.error('--size is of one workload: name it by --only.')
  process.exit(1)
}
console.log(machineName())
const results: Measured[] = []
for (const workload of workloads.filter(({ name }) => only.includes(name))) {
  const tell = (progress: string) => console.error(`${workload.name}: ${progress}`)
  const measured = await startWorkload(workload, { rounds, size }, tell)
  printResults(measured)
  results.push(...measured)
}
// Limits are of the sizes that the workloads have.
const limits = size === undefined ? checkLimits(results) : []
printLimits(limits)
if (json) console.log(JSON.stringify({ machine: machineName(), results, limits }))
process.exitCode = limits.every(({ holds }) => holds) ? 0 : 1
