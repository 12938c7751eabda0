import { expect, test } from 'vitest'
import { runSuite } from '../../proof/conformance/run-suite.ts'
import { sandboxSubjects } from '../../proof/conformance/sandbox-subjects.ts'
import { searchSubjects } from '../../proof/conformance/search-subjects.ts'
import { storeSubjects } from '../../proof/conformance/store-subjects.ts'
import { mcpPairs } from '../../proof/mcp/mcp-suite.ts'
import { mcpToolsets } from '../../proof/mcp/mcp-toolsets.ts'
import { exampleDocuments } from '../../proof/openapi/example-documents.ts'
import { openApiToolsets } from '../../proof/openapi/openapi-toolsets.ts'
import { runScript } from '../../proof/support/run-script.ts'
import { storeSuite } from '../../src/testing/stores/store-suite.ts'

async function usableSandboxes(): Promise<readonly string[]> {
  const checked = await Promise.all(
    Object.entries(sandboxSubjects).map(async ([name, make]) => ((await make().check()) === undefined ? name : [])),
  )
  return checked.flat()
}

test('CKP-06 PRV-01 TOOL-02 TOOL-03 TOOL-04 TOOL-05 every store, model, sandbox, toolset, MCP server, OpenAPI document and way of searching passes its suite', async () => {
  const { status, stderr, lines, figures } = runScript('conformance')
  const failures = lines.filter((line) => line.includes('FAILED'))
  expect({ failures, status, stderr }).toEqual({ failures: [], status: 0, stderr: '' })
  const passed = expect.toSatisfy((count: number) => count > 0)
  const suites = [
    { name: 'store', subject: 'memory', passed, failed: 0 },
    { name: 'store', subject: 'SQLite', passed, failed: 0 },
    { name: 'model', subject: 'scripted', passed, failed: 0 },
    { name: 'model', subject: 'anthropic', passed, failed: 0 },
    { name: 'model', subject: 'openai-chat', passed, failed: 0 },
    ...['openai-responses', 'azure', 'google', 'vertex', 'bedrock', 'ai-sdk', 'ai-sdk-v3'].map((subject) => ({
      name: 'model',
      subject,
      passed,
      failed: 0,
    })),
    ...(await usableSandboxes()).map((subject) => ({ name: 'sandbox', subject, passed, failed: 0 })),
    ...Object.keys(await searchSubjects()).map((subject) => ({ name: 'search', subject, passed, failed: 0 })),
    ...Object.keys(openApiToolsets).map((subject) => ({ name: 'toolset', subject, passed, failed: 0 })),
    ...exampleDocuments.map(({ name }) => ({ name: 'openapi', subject: name, passed, failed: 0 })),
    ...mcpPairs.map(([{ name }, way]) => ({ name: 'mcp-client', subject: `${name} ${way}`, passed, failed: 0 })),
    ...Object.keys(mcpToolsets).map((subject) => ({ name: 'toolset', subject, passed, failed: 0 })),
    { name: 'mcp-client', subject: 'scenarios', passed, failed: 0 },
  ]
  expect(figures).toEqual({ suites })
}, 300_000)

test('CKP-06 names the cases a broken store fails', async () => {
  const sound = storeSubjects['memory']
  if (sound === undefined) throw new Error('There is no memory store.')
  const cases = storeSuite(async () => {
    const under = await sound()
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

test('fails a case that never ends, and goes on with the next', async () => {
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
