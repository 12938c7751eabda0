import { parseArgs } from 'node:util'
import { checkLimits } from './limits.ts'
import { machineName } from './machine-name.ts'
import type { Measured } from './measure-workload.ts'
import { printLimits, printResults } from './report.ts'
import { startWorkload } from './start-workload.ts'
import { workloads } from './workload-table.ts'

const known = workloads.map(({ name }) => name)
const { json, only, rounds, size } = readFlags()
console.log(machineName())
const results: Measured[] = []
for (const workload of workloads.filter(({ name }) => only.includes(name))) {
  const tell = (progress: string) => console.error(`${workload.name}: ${progress}`)
  const measured = await startWorkload(workload, { rounds: numberOf(rounds), size: numberOf(size) }, tell)
  printResults(measured)
  results.push(...measured)
}
// Limits are of the sizes that the workloads have.
const limits = size === undefined ? checkLimits(results) : []
printLimits(limits)
if (json === true) console.log(JSON.stringify({ machine: machineName(), results, limits }))
process.exitCode = limits.every(({ holds }) => holds) ? 0 : 1

function readFlags() {
  try {
    const text = { type: 'string' } as const
    const options = { json: { type: 'boolean' }, only: text, rounds: text, size: text } as const
    const { values } = parseArgs({ options })
    const names = values.only === undefined ? known : values.only.split(',')
    const unknown = names.filter((name) => !known.includes(name))
    if (unknown.length > 0) throw new Error(`No workload is named ${unknown.join(', ')}. Known: ${known.join(', ')}.`)
    for (const name of ['rounds', 'size'] as const) {
      const value = values[name]
      if (value !== undefined && !/^[1-9]\d*$/.test(value)) {
        throw new Error(`--${name} is ${JSON.stringify(value)}; expected a whole number of 1 or more.`)
      }
    }
    if (values.size !== undefined && names.length !== 1)
      throw new Error('--size is of one workload: name it by --only.')
    return { ...values, only: names }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    console.error('Usage: npm run bench -- --only turns,resume --rounds 3 --json')
    process.exit(1)
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}
