import { getAdjacencyMap } from '@xstate/graph'
import { readFileSync, writeFileSync } from 'node:fs'
import { coverBranches } from '../src/testing/charts/branches-coverage.ts'
import { configurations } from '../src/testing/charts/configurations.ts'
import { coverTransitions } from '../src/testing/charts/transition-coverage.ts'
import { type Excuse, reportOn, writeReport } from './coverage-transitions/write-report.ts'

const page = 'docs/transitions.md'
const excuses = JSON.parse(readFileSync('test/golden/transitions-excused.json', 'utf8')) as readonly Excuse[]
const branches = [...coverTransitions(configurations, getAdjacencyMap), ...coverBranches()]
const report = reportOn(branches, excuses)
const text = writeReport(branches, report)
const isCheck = process.argv.includes('--check')
const isStale = isCheck && readPage() !== text
if (!isCheck) writeFileSync(page, text)

for (const { chart, covered, total } of report.charts) console.log(`${chart}: transitions: ${covered}/${total}`)
console.log(`transitions: ${report.covered}/${report.total}`)
for (const { transition, reason } of report.excused) console.log(`excused: ${transition}: ${reason}`)
for (const name of report.missing) console.error(`not covered: ${name}`)
for (const name of report.idle)
  console.error(`excused for nothing: ${name}; take it out of test/golden/transitions-excused.json.`)
if (isStale) console.error(`${page} is stale; run \`npm run coverage:transitions\` and review the change.`)
if (process.argv.includes('--json')) {
  const { covered, total, missing, excused, charts } = report
  console.log(JSON.stringify({ covered, total, missing, excused, charts }))
}
process.exitCode = report.missing.length + report.idle.length > 0 || isStale ? 1 : 0

function readPage(): string {
  try {
    return readFileSync(page, 'utf8')
  } catch {
    return ''
  }
}
