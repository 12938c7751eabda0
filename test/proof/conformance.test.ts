import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runSuite } from '../../proof/conformance/run-suite.ts'
import { sessionStoreSubjects } from '../../proof/conformance/session-store-subjects.ts'
import { storeSubjects } from '../../proof/conformance/store-subjects.ts'
import { mcpPairs } from '../../proof/mcp/mcp-suite.ts'
import { mcpToolsets } from '../../proof/mcp/mcp-toolsets.ts'
import { exampleDocuments } from '../../proof/openapi/example-documents.ts'
import { openApiToolsets } from '../../proof/openapi/openapi-toolsets.ts'
import { hasPostgres } from '../../proof/support/postgres-server.ts'
import { runScript } from '../../proof/support/run-script.ts'
import { storeSuite } from '../../src/testing/stores/store-suite.ts'

/** Run case by case in `test/adapters/stores`, `test/core/workers`, `test/core/services`, `test/adapters/recorder`, `test/adapters/hosts`, `test/adapters/providers` and `test/adapters/tools`, and not here again. */
const runElsewhere = ['store', 'worker', 'broker', 'sessionStore', 'model', 'cuts', 'sandbox', 'search', 'host']

test('TOOL-04 TOOL-05 every toolset, MCP server and OpenAPI document passes its suite', async () => {
  const { status, stderr, lines, figures } = runScript('conformance', ['--skip', runElsewhere.join(',')])
  const failures = lines.filter((line) => line.includes('FAILED'))
  expect({ failures, status, stderr }).toEqual({ failures: [], status: 0, stderr: '' })
  const isWhole = !lines.some((line) => line.startsWith('openapi GitHub whole: skipped.'))
  const subjects = [
    ...Object.keys(openApiToolsets).map((subject) => ['toolset', subject]),
    ...exampleDocuments.map(({ name }) => ['openapi', name]),
    ...(isWhole ? [['openapi', 'GitHub whole']] : []),
    ...mcpPairs.map(([{ name }, way]) => ['mcp-client', `${name} ${way}`]),
    ...Object.keys(mcpToolsets).map((subject) => ['toolset', subject]),
    ['mcp-client', 'scenarios'],
  ]
  const passed = expect.toSatisfy((count: number) => count > 0)
  expect(figures).toEqual({ suites: subjects.map(([name, subject]) => ({ name, subject, passed, failed: 0 })) })
  expect(lines).toEqual(expect.arrayContaining(runElsewhere.map((name) => `${name}: skipped, as asked`)))
}, 300_000)

test('CKP-06 SES-03 PRV-01 TOOL-02 TOOL-03 other tests run the suites that are skipped there', () => {
  const text = (path: string) => readFileSync(path, 'utf8')
  expect(text('test/core/services/broker-suite.test.ts')).toContain('Object.entries(brokerSubjects)')
  expect(text('test/adapters/providers/model-suite.test.ts')).toContain('modelSubjects')
  expect(text('test/adapters/providers/cuts.test.ts')).toContain('cutSubjects')
  expect(text('test/adapters/tools/sandboxes.test.ts')).toContain('Object.entries(sandboxSubjects)')
  expect(text('test/adapters/tools/search-ways.test.ts')).toContain('searchSubjects()')
  expect(text('test/adapters/recorder/session-stores.test.ts')).toContain('Object.entries(sessionStoreSubjects)')
  expect(text('test/adapters/hosts/host-suite.test.ts')).toContain('hostSubjects')
  expect(Object.keys(sessionStoreSubjects)).toEqual(['files'])
  const inStores = ['memory', 'postgres', 'sqlite'].map((name) => text(`test/adapters/stores/${name}-store.test.ts`))
  expect(inStores.every((file) => file.includes('storeSuite('))).toBe(true)
  expect(text('test/core/workers/worker-suite.test.ts')).toContain('Object.entries(storeSubjects)')
  expect(Object.keys(storeSubjects)).toEqual(['memory', 'SQLite', ...(hasPostgres ? ['Postgres'] : [])])
})

test('CKP-06 names the cases that a broken store fails', async () => {
  const sound = storeSubjects['memory']
  if (sound === undefined) throw new Error('There is no memory store.')
  const cases = storeSuite(async (clock) => {
    const under = await sound(clock)
    return { ...under, store: { ...under.store, list: async () => [] } }
  })
  const lines: string[] = []
  const report = await runSuite({ name: 'store', subject: 'forgetful', cases }, (line) => lines.push(line))
  expect(report.failed).toBeGreaterThan(0)
  expect(report.passed + report.failed).toBe(cases.length)
  expect(lines[0]).toBe(`store   forgetful         ${report.passed} passed, ${report.failed} failed`)
  expect(lines.slice(1)).toHaveLength(report.failed)
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}FAILED lists the newest runs first and .*: Expected /))
})

test('fails a case that never ends, and continues with the next', async () => {
  const lines: string[] = []
  const cases = [
    { name: 'hangs', run: () => new Promise<void>(() => {}) },
    { name: 'passes', run: async () => {} },
    { name: 'throws', run: () => Promise.reject(new Error('  two\n  lines')) },
  ]
  const report = await runSuite({ name: 'made up', subject: 'nobody', cases }, (line) => lines.push(line), 1)
  expect(report).toEqual({ name: 'made up', subject: 'nobody', passed: 1, failed: 2 })
  expect(lines.slice(1)).toEqual(['  FAILED hangs: It did not end within 1 ms.', '  FAILED throws: two lines'])
})
