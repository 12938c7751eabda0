import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { acpAgent } from '../src/servers/acp.ts'

/** Stands for a program such as `opencode acp`: it asks before it writes a file. */
const program = `import { createInterface } from 'node:readline'
import { writeFileSync } from 'node:fs'
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
let prompt
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, result } = JSON.parse(line)
  if (method === 'initialize') send({ id, result: { protocolVersion: 1 } })
  if (method === 'session/new') send({ id, result: { sessionId: 's' } })
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }]
  const toolCall = { toolCallId: 'c', kind: 'edit', title: 'Write done.txt', locations: [{ path: 'done.txt' }] }
  if (method === 'session/prompt') prompt = id
  if (method === 'session/prompt') send({ id: 'ask', method: 'session/request_permission', params: { sessionId: 's', toolCall, options } })
  if (id !== 'ask') return
  if (result.outcome.optionId === 'yes') writeFileSync('done.txt', 'done')
  send({ id: prompt, result: { stopReason: 'end_turn' } })
})`

const folder = mkdtempSync(join(tmpdir(), 'foreign-agent-'))
writeFileSync(join(folder, 'agent.mjs'), program)
const coder = acpAgent({ name: 'coder', command: process.execPath, args: ['agent.mjs'], cwd: folder })
const call = { toolCalls: [{ name: 'coder', arguments: { prompt: 'Write the file.' } }] }
const tools = [coder.asTool({ description: 'Changes files.' })]
const boss = createAgent({ name: 'boss', model: scripted([call, 'The file is there.']), tools })
try {
  const run = boss.start('Have the file written.')
  const [asked] = (await run.settled()).suspended
  assert.deepEqual([asked?.toolName, existsSync(join(folder, 'done.txt'))], ['edit', false])
  await run.approve()
  console.log((await run.settled()).text)
  assert.equal(readFileSync(join(folder, 'done.txt'), 'utf8'), 'done')
} finally {
  await Promise.all([boss.close(), coder.close()])
  rmSync(folder, { recursive: true })
}
