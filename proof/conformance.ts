import { brokerSuite } from '../src/testing/brokers/broker-suite.ts'
import { modelSuite } from '../src/testing/models/model-suite.ts'
import { sandboxSuite } from '../src/testing/sandboxes/sandbox-suite.ts'
import { sessionStoreSuite } from '../src/testing/sessions/session-store-suite.ts'
import { storeSuite } from '../src/testing/stores/store-suite.ts'
import { toolsetSuite } from '../src/testing/toolsets/toolset-suite.ts'
import { workerSuite } from '../src/testing/workers/worker-suite.ts'
import { brokerSubjects } from './conformance/broker-subjects.ts'
import { hostSuite } from './conformance/host-suite.ts'
import { closeHosts, hostSubjects } from './conformance/host-subjects.ts'
import { modelSubjects } from './conformance/model-subjects.ts'
import { runSuite, type Suite, type SuiteReport } from './conformance/run-suite.ts'
import { sandboxSubjects } from './conformance/sandbox-subjects.ts'
import { searchSubjects } from './conformance/search-subjects.ts'
import { searchSuite } from './conformance/search-suite.ts'
import { sessionStoreSubjects } from './conformance/session-store-subjects.ts'
import { storeSubjects } from './conformance/store-subjects.ts'
import { mcpPairs, mcpSuite } from './mcp/mcp-suite.ts'
import { mcpToolsets } from './mcp/mcp-toolsets.ts'
import { notPassed, scenarioSuite } from './mcp/scenario-suite.ts'
import { objectSuites } from './engines/object-suites.ts'
import { hasRestate, noRestate } from './engines/restate-server.ts'
import { keptObjects } from './engines/restate-suites.ts'
import { hasWorkerd, noWorkerd } from './engines/workerd.ts'
import { exampleDocuments } from './openapi/example-documents.ts'
import { gitHubSuite, installGitHub } from './openapi/github-suite.ts'
import { openApiSuite } from './openapi/openapi-suite.ts'
import { openApiToolsets } from './openapi/openapi-toolsets.ts'
import { startPrism } from './openapi/prism.ts'
import { parseFlags } from './support/parse-flags.ts'
import { sayNoPostgres } from './support/postgres-server.ts'
import { cutSubjects, cutSuite } from './wires/cut-suite.ts'

/** The case that no object passes. */
const tooLong = 'keeps messages and documents of 5 MB'

const { json, skip = '', only } = parseFlags('conformance', {}, [], ['skip', 'only'])
const skipped: ReadonlySet<string> = new Set(skip.split(',').filter((name) => name !== ''))
sayNoPostgres('store Postgres:')
const all: Suite[] = [
  ...Object.entries(storeSubjects).map(([subject, open]) => ({
    name: 'store',
    subject,
    cases: storeSuite(open, 240_000),
  })),
  ...Object.entries(storeSubjects).map(([subject, open]) => ({ name: 'worker', subject, cases: workerSuite(open) })),
  ...Object.entries(brokerSubjects).map(([subject, open]) => ({ name: 'broker', subject, cases: brokerSuite(open) })),
  ...Object.entries(sessionStoreSubjects).map(([subject, open]) => ({
    name: 'sessionStore',
    subject,
    cases: sessionStoreSuite(open),
  })),
  ...Object.entries(modelSubjects).map(([subject, make]) => ({ name: 'model', subject, cases: modelSuite(make) })),
  ...cutSubjects.map((subject) => ({ name: 'cuts', subject: subject.name, cases: cutSuite(subject) })),
]
for (const [subject, make] of Object.entries(sandboxSubjects)) {
  const missing = await make().check()
  const open = async () => ({ sandbox: make(), dispose: async () => undefined })
  if (missing === undefined) all.push({ name: 'sandbox', subject, cases: sandboxSuite(make(), open) })
  else console.log(`sandbox ${subject}: skipped. ${missing}`)
}
for (const [subject, make] of Object.entries(await searchSubjects())) {
  all.push({ name: 'search', subject, cases: searchSuite(make) })
}
for (const [subject, open] of Object.entries(openApiToolsets)) {
  all.push({ name: 'toolset', subject, cases: toolsetSuite(open) })
}
const prism = await startPrism(exampleDocuments.map(({ path }) => path))
for (const example of exampleDocuments) {
  const cases = await openApiSuite(example, prism.origins.get(example.path) ?? '')
  all.push({ name: 'openapi', subject: example.name, cases })
  for (const [id, reason] of Object.entries(example.excused))
    console.log(`openapi ${example.name}: ${id} its valid call is not judged, as ${reason}`)
}
const missingDocument = installGitHub()
if (missingDocument === undefined) all.push({ name: 'openapi', subject: 'GitHub whole', cases: gitHubSuite() })
else console.log(`openapi GitHub whole: skipped. ${missingDocument}`)
for (const [server, way] of mcpPairs) {
  all.push({ name: 'mcp-client', subject: `${server.name} ${way}`, cases: mcpSuite(server, way) })
}
for (const [subject, open] of Object.entries(mcpToolsets)) {
  all.push({ name: 'toolset', subject, cases: toolsetSuite(open) })
}
all.push({ name: 'mcp-client', subject: 'scenarios', cases: await scenarioSuite() })
for (const [scenario, reason] of Object.entries(notPassed)) console.log(`not passed: ${scenario}, as ${reason}`)
const objects = hasWorkerd ? await objectSuites() : undefined
for (const name of ['store', 'worker'] as const) {
  const cases = objects?.[name].filter((one) => one.name !== tooLong) ?? []
  if (objects === undefined) console.log(`${name} Durable Object: skipped. ${noWorkerd}.`)
  else all.push({ name, subject: 'Durable Object', cases })
}
console.log(`store Durable Object: "${tooLong}" is not judged, as a row of an object holds at most 2 MB`)
if (hasRestate) {
  const open = lazily(keptObjects)
  all.push({
    name: 'store',
    subject: 'Restate',
    cases: storeSuite(async (clock) => (await open()).open(clock), 240_000),
  })
  all.push({ name: 'worker', subject: 'Restate', cases: workerSuite(async () => (await open()).open()) })
} else console.log(`store and worker Restate: skipped. ${noRestate}.`)
for (const { name, missing, open } of hostSubjects) {
  if (missing === undefined) all.push({ name: 'host', subject: name, cases: hostSuite(open) })
  else console.log(`host ${name}: skipped. ${missing}.`)
}
const unknown = [...skipped].filter((name) => !all.some((suite) => suite.name === name))
if (unknown.length > 0) throw new Error(`No suite is named ${unknown.join(', ')}.`)
for (const name of skipped) console.log(`${name}: skipped, as asked`)
const suites = all.filter(({ name }) => !skipped.has(name) && (only === undefined || name === only))
const reports: SuiteReport[] = []
for (const suite of suites) reports.push(await runSuite(suite, console.log))

const failed = reports.reduce((sum, report) => sum + report.failed, 0)
const passed = reports.reduce((sum, report) => sum + report.passed, 0)
console.log(`${reports.length} subjects in all: ${passed} passed, ${failed} failed`)
if (json) console.log(JSON.stringify({ suites: reports }))
await prism[Symbol.asyncDispose]()
await objects?.[Symbol.asyncDispose]()
await closeHosts()
// A case that never ended may hold a server or a timer: it must not hold the command.
process.exit(failed === 0 && reports.every((report) => report.passed > 0) ? 0 : 1)

/** Starts something when it is first wanted. */
function lazily<Started>(start: () => Promise<Started>): () => Promise<Started> {
  let started: Promise<Started> | undefined
  return () => (started ??= start())
}
