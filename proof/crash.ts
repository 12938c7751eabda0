import type { CrashReport, CrashWalkOptions } from '../src/testing/crash/crash-scenario.ts'
import { walkCrashes } from '../src/testing/crash/walk-crashes.ts'
import { parseFlags } from './support/parse-flags.ts'
import { hasPostgres, sayNoPostgres } from './support/postgres-server.ts'
import { branchScenarios, walkBranches } from './crash/branch-walk.ts'
import { isNoticed, plantedBugs } from './crash/planted-table.ts'
import { killSessionWrites } from './crash/session-kills.ts'
import { killWrites } from './crash/store-kills.ts'
import { scenarios } from './crash/scenarios.ts'
import { memoryStorage, objectStorage, postgresStorage, sqliteStorage } from './crash/storages.ts'

const { pairs, json, plants, stores = 'memory,SQLite' } = parseFlags('crash', { pairs: 24 }, ['plants'], ['stores'])
const storages = chosenStorages(stores)
const start = performance.now()
const reports: CrashReport[] = []

for (const [name, storage] of storages) {
  console.log(`${name.padEnd(40)} points   pairs   stops  takeovers  lost  doubled  other`)
  for (const scenario of scenarios) {
    const report = await walkCrashes(scenario, { storage, maxPairs: pairs, stops: true })
    reports.push(report)
    printReport(report)
  }
  for (const scenario of branchScenarios) {
    const report = await walkBranches(scenario, storage)
    reports.push(report)
    printReport(report)
  }
}

let unnoticed = 0
for (const [name, storage] of plants ? storages : []) {
  for (const bug of plantedBugs) {
    const isFound = await isNoticed(bug, storage)
    if (!isFound) unnoticed++
    console.log(`${isFound ? 'noticed' : 'NOT NOTICED'} on ${name}: ${bug.what}`)
  }
}

const ofRuns = await killWrites()
console.log(`${ofRuns.points} kills of a store of related runs: ${ofRuns.findings.length} findings`)
const ofSessions = await killSessionWrites()
console.log(`${ofSessions.points} kills of a store of sessions: ${ofSessions.findings.length} findings`)
const kills = {
  points: ofRuns.points + ofSessions.points,
  findings: [...ofRuns.findings, ...ofSessions.findings],
}
for (const finding of kills.findings) console.log(`  ${finding}`)

const sum = (field: 'points' | 'pairs' | 'stops' | 'takeovers' | 'lost' | 'doubled') =>
  reports.reduce((total, report) => total + report[field], 0)
const findings = reports.reduce((total, report) => total + report.findings.length, kills.findings.length)
const seconds = Math.round((performance.now() - start) / 100) / 10
console.log(
  `${sum('points')} crash points, ${sum('pairs')} pairs and ${sum('stops')} stops in ${scenarios.length + branchScenarios.length} scenarios over ${storages.length} stores, ` +
    `${sum('takeovers')} leases taken over: ${sum('lost')} lost, ${sum('doubled')} doubled, ` +
    `${findings} findings in all (${seconds} s)`,
)
if (json) {
  const figures = {
    points: sum('points'),
    pairs: sum('pairs'),
    stops: sum('stops'),
    kills: kills.points,
    lost: sum('lost'),
    doubled: sum('doubled'),
  }
  console.log(
    JSON.stringify({
      scenarios: scenarios.length + branchScenarios.length,
      ...figures,
      findings,
      ...(plants ? { planted: plantedBugs.length * storages.length, unnoticed } : {}),
      seconds,
    }),
  )
}
process.exitCode = findings + unnoticed === 0 ? 0 : 1

function printReport({
  scenario,
  points,
  pairs: twice,
  stops,
  takeovers,
  lost,
  doubled,
  findings: found,
}: CrashReport): void {
  const other = found.length - lost - doubled
  const columns: readonly (readonly [number, number])[] = [
    [points, 8],
    [twice, 8],
    [stops, 8],
    [takeovers, 11],
    [lost, 6],
    [doubled, 9],
    [other, 7],
  ]
  console.log(`  ${scenario.padEnd(36)}${columns.map(([value, width]) => String(value).padStart(width)).join('')}`)
  for (const { kind, crashes, interleaving, message } of found.slice(0, 5)) {
    const at = crashes.map(({ side, write }) => `${side} write ${write}`).join(', then ') || 'undisturbed'
    const order = interleaving.order === 'together' ? 'together' : interleaving.order.join(' ')
    console.log(`    ${kind} (${at}${order === '' ? '' : `; finishing ${order}`}): ${message}`)
  }
}

/** The storages that are named; one that cannot be had is left out, and said. */
function chosenStorages(names: string): readonly (readonly [string, CrashWalkOptions['storage']])[] {
  const known: Readonly<Record<string, CrashWalkOptions['storage']>> = {
    memory: memoryStorage,
    SQLite: sqliteStorage,
    Postgres: postgresStorage,
    'Durable Object': objectStorage,
  }
  return names.split(',').flatMap((name) => {
    const storage = known[name]
    if (storage === undefined) throw new Error(`There is no store "${name}". Known: ${Object.keys(known).join(', ')}.`)
    if (name !== 'Postgres' || hasPostgres) return [[name, storage] as const]
    sayNoPostgres('the crashes on Postgres are')
    return []
  })
}
