import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent, type Store, tool, type ToolEffects } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'crash-policy-'))
const journal = join(folder, 'journal')
const store = sqliteStore(join(folder, 'runs.db'))
await (process.argv[2] === undefined ? recover(store) : startAndDie(store))
await store.close()
rmSync(folder, { recursive: true })

/** Creates three tools with different policies for a call whose process died while it ran. */
function agentOn(runs: Store, inTool: () => Promise<void>) {
  const effects: Readonly<Record<string, ToolEffects>> = { read: 'none', put: 'idempotent', mail: 'once' }
  const tools = Object.entries(effects).map(([name, policy]) =>
    tool({
      name,
      description: `Acts as ${name}.`,
      input: { type: 'object' },
      effects: policy,
      execute: async (_, { idempotencyKey }) => {
        appendFileSync(journal, `${name} ${idempotencyKey}\n`)
        await inTool()
        return `${name} done`
      },
    }),
  )
  const model = scripted([{ toolCalls: tools.map(({ name }) => ({ id: name, name, arguments: {} })) }, 'All done.'])
  return createAgent({ name: 'clerk', model, tools, store: runs })
}

/** Dies inside the tools: all three have acted, and none has settled. */
async function startAndDie(runs: Store) {
  let acted = 0
  await agentOn(runs, () => {
    if (++acted === 3) process.kill(process.pid, 'SIGKILL')
    return new Promise(() => {})
  }).run('Act.', { runId: 'acts' })
}

async function recover(runs: Store) {
  const { signal } = spawnSync(process.execPath, [import.meta.filename, folder], { stdio: 'inherit' })
  assert.equal(signal, 'SIGKILL')
  const run = await agentOn(runs, async () => {}).load('acts')
  for (const { callId, toolName, suspension } of (await run.settled()).suspended) {
    console.log(`${toolName} is ${suspension?.reason ?? ''}; the journal says it went out: take that for its result`)
    await run.respond(callId, `${toolName} done`, { by: 'journal policy' })
  }
  const { text } = await run.settled()
  const lines = readFileSync(journal, 'utf8').trim().split('\n')
  const counts = ['read', 'put', 'mail'].map((name) => lines.filter((line) => line.startsWith(name)).length)
  assert.deepEqual({ text, counts, keys: new Set(lines).size }, { text: 'All done.', counts: [2, 2, 1], keys: 3 })
  console.log(`${text} read ran again, put ran again under the same key, mail ran once`)
}
