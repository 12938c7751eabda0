import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createAgent } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { defaultTools } from '../src/adapters/tools/default-tools.ts'
import { bubblewrap, unconfined } from '../src/adapters/tools/shell.ts'

/** Creates a repository with a mistake, and a test that fails because of it. */
function makeRepository(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fix-test-')))
  writeFileSync(join(root, 'add.mjs'), 'export const add = (left, right) => left - right\n')
  const test = ["import test from 'node:test'", "import assert from 'node:assert'", "import { add } from './add.mjs'"]
  writeFileSync(join(root, 'add.test.mjs'), `${test.join('\n')}\ntest('adds', () => assert.equal(add(2, 3), 5))\n`)
  return root
}

/** Returns a sandbox. The box can read the system's folders; this Node is elsewhere and must be listed. */
async function chooseSandbox(node: string) {
  const box = bubblewrap({ readable: [node] })
  const problem = await box.check()
  if (problem === undefined) return box
  console.log(`${problem}\nThis example goes on without a box; your program would stop here.`)
  return unconfined()
}

/** The answers of the scripted model, one call per turn. */
const answers = [
  { toolCalls: [{ name: 'shell', arguments: { command: 'node --test' } }] },
  { toolCalls: [{ name: 'read_file', arguments: { path: 'add.mjs' } }] },
  {
    toolCalls: [
      {
        name: 'edit_file',
        arguments: { path: 'add.mjs', edits: [{ oldText: 'left - right', newText: 'left + right' }] },
      },
    ],
  },
  { toolCalls: [{ name: 'shell', arguments: { command: 'node --test' } }] },
  'The test passes: add subtracted.',
]

const root = makeRepository()
try {
  const node = dirname(realpathSync(process.execPath))
  const environment = { ...process.env, PATH: `${node}${delimiter}${process.env['PATH'] ?? ''}` }
  const sandbox = await chooseSandbox(node)
  const tools = defaultTools({ root, sandbox, environment, run: 'allow', write: 'allow' })
  const run = createAgent({ name: 'fixer', model: scripted(answers), tools }).start('Make the test pass.')
  for await (const event of run) {
    if (event.type !== 'message.ended' || event.message.role !== 'toolResult') continue
    const { toolName, status, details } = event.message
    const shown = Object(details)
    console.log(`${toolName}: ${status}${'exitCode' in shown ? `, exit code ${shown.exitCode}` : ''}`)
    if ('diff' in shown) console.log(String(shown.diff).trimEnd())
  }
  const { status, text } = await run.result()
  assert.equal(status, 'done')
  assert.equal(readFileSync(join(root, 'add.mjs'), 'utf8'), 'export const add = (left, right) => left + right\n')
  console.log(`${status}: ${text}`)
} finally {
  rmSync(root, { recursive: true, force: true })
}
