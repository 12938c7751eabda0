import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { sandboxSubjects } from '../../../proof/conformance/sandbox-subjects.ts'
import { createAgent, type Json, type Model, type ModelRequest, tool } from '../../../src/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { resultsOf } from '../../../proof/support/read-run.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { defaultTools } from '../../../src/adapters/tools/default-tools.ts'
import { unconfined } from '../../../src/adapters/tools/shell.ts'
import { callTool, textOf } from './call-tool.ts'
import { markedProcesses } from './marked-processes.ts'

test('TOOL-02 the default tools have a label, a schema and declare the effect of repeating them', () => {
  const tools = defaultTools({ root: import.meta.dirname, sandbox: unconfined() })
  const said = tools.map(({ name, label, effects, needs, input }) => [name, label, effects, needs, typeof input])
  expect(said).toEqual([
    ['shell', 'Shell', 'once', 'approval', 'object'],
    ['read_file', 'Read file', 'none', undefined, 'object'],
    ['list_files', 'List files', 'none', undefined, 'object'],
    ['search_files', 'Search files', 'none', undefined, 'object'],
    ['write_file', 'Write file', 'once', 'approval', 'object'],
    ['edit_file', 'Edit file', 'once', 'approval', 'object'],
  ])
  const free = defaultTools({ root: import.meta.dirname, sandbox: unconfined(), run: 'allow', write: 'allow' })
  expect(free.filter(({ needs }) => needs !== undefined)).toEqual([])
})

test('TOOL-03 the default tools mask secrets in files and in output', async () => {
  const root = await temporaryFolder()
  await writeFile(join(root, '.env'), 'TOKEN=abcd-efgh-ijkl\n')
  const environment = { PATH: process.env['PATH'], API_TOKEN: 'abcd-efgh-ijkl' }
  const tools = defaultTools({ root, sandbox: unconfined(), environment })
  const told = await Promise.all([
    callTool(tools, 'read_file', { path: '.env' }),
    callTool(tools, 'search_files', { query: 'TOKEN' }),
    callTool(tools, 'shell', { command: 'cat .env' }),
  ])
  expect(told.map(textOf)).toEqual([
    'TOKEN=[secret API_TOKEN]\n',
    '.env:1: TOKEN=[secret API_TOKEN]',
    'TOKEN=[secret API_TOKEN]\n',
  ])
})

test("TOOL-01 the transcript contains details and a child run's id, and no request does", async () => {
  const requests: ModelRequest[] = []
  const told = tool({
    name: 'told',
    description: 'Tells.',
    input: { type: 'object' },
    execute: () => ({ content: [{ type: 'text', text: 'SHOWN' }], details: { secret: 'HIDDEN' }, childRunId: 'CHILD' }),
  })
  const answers = scripted([{ toolCalls: [{ name: 'told', arguments: {} }] }, 'Done.'])
  const model: Model = {
    ...answers,
    stream: (request) => {
      requests.push(structuredClone({ ...request, signal: undefined }) as never)
      return answers.stream(request)
    },
  }
  const store = memoryStore()
  const run = createAgent({ name: 'a', model, tools: [told], store }).start('Go.')
  const { status } = await run.settled()
  expect(status).toBe('done')
  expect((await store.calls(run.id)).map(({ record }) => record.result)).toMatchObject([
    {
      content: [{ type: 'text', text: 'SHOWN' }],
      details: { secret: 'HIDDEN' },
      childRunId: 'CHILD',
    },
  ])
  expect(JSON.stringify(requests)).toContain('SHOWN')
  expect(JSON.stringify(requests)).not.toMatch(/HIDDEN|CHILD/)
})

for (const [name, make] of Object.entries(sandboxSubjects)) {
  const missing = await make().check()
  test.skipIf(missing !== undefined)(`TOOL-02 TOOL-03 a run with every tool in ${name} leaves no process`, async () => {
    const root = await temporaryFolder()
    await mkdir(join(root, 'src'))
    const call = (toolName: string, given: Json) => ({ toolCalls: [{ name: toolName, arguments: given }] })
    const model = scripted([
      call('write_file', { path: 'src/a.txt', content: 'one two\n' }),
      call('edit_file', { path: 'src/a.txt', edits: [{ oldText: 'two', newText: '2' }] }),
      call('shell', { command: 'setsid sleep 60 & sleep 61 & cat a.txt; echo three >> a.txt', folder: 'src' }),
      call('search_files', { query: 'three' }),
      call('list_files', { recursive: true }),
      call('read_file', { path: 'src/a.txt' }),
      'Done.',
    ])
    const tools = defaultTools({ root, sandbox: make(), write: 'allow', run: 'allow' })
    const store = memoryStore()
    const run = createAgent({ name: 'a', model, tools, store }).start('Go.')
    expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
    expect(Object.values(await resultsOf(store, run.id))).toEqual([
      'Created src/a.txt (8 bytes).',
      'Replaced src/a.txt (6 bytes).',
      'one 2\n',
      'src/a.txt:2: three',
      'src/\nsrc/a.txt',
      'one 2\nthree\n',
    ])
    expect(await readFile(join(root, 'src/a.txt'), 'utf8')).toBe('one 2\nthree\n')
    expect(markedProcesses()).toEqual([])
  })
}
