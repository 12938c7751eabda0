import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { machineName } from '../machine-name.ts'
import { printLimits, printResults } from '../report.ts'
import { SubjectProcess } from '../subject-process.ts'
import { importTimes } from './import-times.ts'
import { checkPeerLimits } from './limits.ts'
import { measurePeers, type PeerMeasured } from './measure-peers.ts'
import type { Asked } from './play-subject.ts'
import { prepare } from './prepare.ts'
import { entries } from './subject-table.ts'
import { workloads } from './workloads.ts'
import { versionOf, writeResults } from './write-results.ts'

const program = new URL('play-subject.ts', import.meta.url)
const known = [...workloads.map(({ name }) => name), 'import']
const { json, only, rounds, chosen } = readFlags()
const at = new Date()
const [loadBefore = 0] = loadavg()
console.log(machineName())
await prepare((progress) => console.error(progress))
const subjects = chosen.map(({ name }) => new SubjectProcess<Asked>(name, program, [name]))
for (const subject of subjects) await subject.isReady()

const results: PeerMeasured[] = []
for (const workload of workloads.filter(({ name }) => only.includes(name))) {
  const played = { ...workload, rounds: Math.min(workload.rounds, rounds) }
  add(await measurePeers(played, subjects, (progress) => console.error(`${workload.name}: ${progress}`)))
}
for (const subject of subjects) subject.stop()
if (only.includes('import')) add(importTimes(chosen, (progress) => console.error(`import: ${progress}`)))

const limits = checkPeerLimits(results)
printLimits(limits)
for (const { name, failure } of subjects) if (failure !== undefined) console.log(`${name} failed: ${failure}`)
// A part of the workloads is for whoever works on them: the page holds all.
if (only.length === known.length && chosen.length === entries.length) {
  writeFileSync(new URL('../RESULTS.md', import.meta.url), writeResults({ at, loadBefore, results, limits, subjects }))
}
const versions = Object.fromEntries(entries.flatMap(({ packages }) => packages.map((name) => [name, versionOf(name)])))
if (json === true) console.log(JSON.stringify({ machine: machineName(), at, loadBefore, versions, results, limits }))
process.exitCode = limits.every(({ holds }) => holds) ? 0 : 1

function add(measured: readonly PeerMeasured[]): void {
  printResults(measured)
  results.push(...measured)
}

function readFlags() {
  try {
    const text = { type: 'string' } as const
    const options = { json: { type: 'boolean' }, only: text, rounds: text, subjects: text } as const
    const { values } = parseArgs({ options })
    const names = values.only === undefined ? known : values.only.split(',')
    const unknown = names.filter((name) => !known.includes(name))
    if (unknown.length > 0) throw new Error(`No workload is named ${unknown.join(', ')}. Known: ${known.join(', ')}.`)
    const wanted = values.subjects?.split(',')
    const strange = (wanted ?? []).filter((name) => !entries.some((entry) => entry.name === name))
    if (strange.length > 0) throw new Error(`No subject is named ${strange.join(', ')}.`)
    if (values.rounds !== undefined && !/^[1-9]\d*$/.test(values.rounds)) {
      throw new Error(`--rounds is ${JSON.stringify(values.rounds)}; expected a whole number of 1 or more.`)
    }
    return {
      json: values.json,
      only: names,
      rounds: Number(values.rounds ?? Infinity),
      chosen: entries.filter(({ name }) => wanted?.includes(name) ?? true),
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    console.error(
      'Usage: npm run bench:peers -- --only turns,import --subjects floor,statewright,ai-sdk --rounds 3 --json',
    )
    process.exit(1)
  }
}
