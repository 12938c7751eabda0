import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createAgent } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { mcpToolset } from '../src/adapters/tools/mcp.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-files-')))
const list = join(folder, 'list.txt')
writeFileSync(list, 'milk\n')

// Without the package, `npx -y @modelcontextprotocol/server-filesystem <folder>` does the same.
const installed = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')
const files = mcpToolset({
  name: 'files',
  prefix: 'files',
  command: process.execPath,
  args: [join(dirname(installed), 'dist/index.js'), folder],
  only: ['read_text_file', 'write_file'],
  rules: { read_text_file: { effects: 'none' }, write_file: { needs: 'approval', effects: 'idempotent' } },
})
const model = scripted([
  { toolCalls: [{ name: 'files__read_text_file', arguments: { path: list } }] },
  { toolCalls: [{ name: 'files__write_file', arguments: { path: list, content: 'milk\nbread\n' } }] },
  'Bread is on the list.',
])
const agent = createAgent({ name: 'shopper', model, tools: [files] })
try {
  const run = agent.start('Put bread on the list.')
  for await (const event of run) {
    if (event.type !== 'message.ended' || event.message.role !== 'toolResult') continue
    console.log(`${event.message.toolName}: ${event.message.status}`)
  }
  const { suspended } = await run.result()
  assert.equal(readFileSync(list, 'utf8'), 'milk\n')
  console.log(`waiting: ${suspended.map(({ toolName }) => toolName).join()} needs an approval`)
  await run.approve()
  const { status, text } = await run.settled()
  assert.equal(readFileSync(list, 'utf8'), 'milk\nbread\n')
  console.log(`${status}: ${text}`)
} finally {
  await agent.close()
  rmSync(folder, { recursive: true, force: true })
}
