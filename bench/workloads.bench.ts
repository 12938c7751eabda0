import { parseArgs } from 'node:util'
import { checkLimits } from './limits.ts'
import { machineName } from './machine-name.ts'
import type { Measured } from './measure-workload.ts'
import { printLimits, printResults } from './report.ts'
import { startWorkload } from './start-workload.ts'
import { workloads } from './workload-table.ts'

const known = workloads.map(({ name }) => name)
const { json, only, rounds } = readFlags()
console.log(machineName())
const results: Measured[] = []
for (const workload of workloads.filter(({ name }) => only.includes(name))) {
  const tell = (progress: string) => console.error(`${workload.name}: ${progress}`)
  const measured = await startWorkload(workload, rounds === undefined ? undefined : Number(rounds), tell)
  printResults(measured)
  results.push(...measured)
}
const limits = checkLimits(results)
printLimits(limits)
if (json === true) console.log(JSON.stringify({ machine: machineName(), results, limits }))
process.exitCode = limits.every(({ holds }) => holds) ? 0 : 1

function readFlags() {
  try {
    const options = { json: { type: 'boolean' }, only: { type: 'string' }, rounds: { type: 'string' } } as const
    const { values } = parseArgs({ options })
    const names = values.only === undefined ? known : values.only.split(',')
    const unknown = names.filter((name) => !known.includes(name))
    if (unknown.length > 0) throw new Error(`No workload is named ${unknown.join(', ')}. Known: ${known.join(', ')}.`)
    if (values.rounds !== undefined && !/^[1-9]\d*$/.test(values.rounds)) {
      throw new Error(`--rounds is ${JSON.stringify(values.rounds)}; expected a whole number of 1 or more.`)
    }
    return { ...values, only: names }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    console.error('Usage: npm run bench -- --only turns,resume --rounds 3 --json')
    process.exit(1)
  }
}
