// A process asks for an approval and dies. The answer still reaches the call, in the next process.
// https://github.com/openclaw/openclaw/issues/65486
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'

const isChild = process.argv[2] === 'ask'
const folder = isChild ? (process.argv[3] ?? '') : mkdtempSync(join(tmpdir(), 'approval-survives-'))
const store = sqliteStore(join(folder, 'runs.db'))
const deploy = tool({
  name: 'deploy',
  description: 'Deploys the shop.',
  input: { type: 'object' },
  needs: 'approval',
  execute: () => 'Deployed.',
})
const model = scripted([{ toolCalls: [{ name: 'deploy', arguments: {} }] }, 'The shop is new.'])
const agent = createAgent({ name: 'operator', model, tools: [deploy], store })

if (isChild) {
  await agent.run('Deploy.', { runId: 'deploy' })
  process.kill(process.pid, 'SIGKILL')
}
const { signal } = spawnSync(process.execPath, [import.meta.filename, 'ask', folder], { timeout: 30_000 })
const run = await agent.load('deploy')
const { answer } = await run.approve()
const { text } = await run.settled()
assert.deepEqual([signal, answer, text], ['SIGKILL', 'applied', 'The shop is new.'])
await store.close()
rmSync(folder, { recursive: true })
console.log(`killed while it waited; the approval was ${answer}`)
