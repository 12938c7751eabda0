import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseFlags } from '../../proof/support/parse-flags.ts'
import { chosenNames } from '../chosen-names.ts'
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
// Without rounds, a workload has its own.
const { json, rounds, ...asked } = parseFlags('bench:peers', { rounds: 0 }, [], ['only', 'subjects'])
const only = chosenNames(asked.only, known, 'workload')
const wanted = chosenNames(
  asked.subjects,
  entries.map(({ name }) => name),
  'subject',
)
const chosen = entries.filter(({ name }) => wanted.includes(name))
const at = new Date()
const [loadBefore = 0] = loadavg()
console.log(machineName())
await prepare((progress) => console.error(progress))
const subjects = chosen.map(({ name }) => new SubjectProcess<Asked>(name, program, [name]))
for (const subject of subjects) await subject.isReady()

const results: PeerMeasured[] = []
for (const workload of workloads.filter(({ name }) => only.includes(name))) {
  const played = { ...workload, rounds: Math.min(workload.rounds, rounds || Infinity) }
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
if (json) console.log(JSON.stringify({ machine: machineName(), at, loadBefore, versions, results, limits }))
process.exitCode = limits.every(({ holds }) => holds) ? 0 : 1

function add(measured: readonly PeerMeasured[]): void {
  printResults(measured)
  results.push(...measured)
}
