import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent } from '../src/index.ts'
import { runAll } from '../src/core/workers/worker.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'

const documents = Array.from({ length: 200 }, (_, index) => ({
  id: `doc-${index}`,
  prompt: `Summarise document ${index}.`,
}))
const [given] = process.argv.slice(2)

if (given === undefined) await killHalfWay()
else await summarise(given)

/** Runs the batch in a process that is killed half-way, and then again in this process. */
async function killHalfWay(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'batch-'))
  const child = spawn(process.execPath, [import.meta.filename, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  for await (const chunk of child.stdout) {
    if (Number(String(chunk).trim().split('\n').at(-1)) >= 100) child.kill('SIGKILL')
  }
  await closed
  const before = linesOf(folder).length
  const summaries = await summarise(folder)
  assert.deepEqual(
    summaries,
    documents.map(({ id }) => `Summary of ${id}`),
  )
  const asked = linesOf(folder)
  const again = asked.length - new Set(asked).size
  // Only the documents in progress at the kill are asked for again.
  assert.ok(again <= 8, `${again} documents were asked for twice`)
  console.log(`killed after ${before} of ${documents.length} documents; ${asked.length - before} more asked for`)
  rmSync(folder, { recursive: true })
}

async function summarise(folder: string): Promise<readonly (string | undefined)[]> {
  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
  const model = scripted([
    ({ messages }) => {
      const [asked] = messages.flatMap(({ role, content }) => (role === 'user' ? [JSON.stringify(content)] : []))
      const id = `doc-${/document (\d+)/.exec(asked ?? '')?.[1] ?? ''}`
      appendFileSync(join(folder, 'asked'), `${id}\n`)
      return `Summary of ${id}`
    },
  ])
  await using agent = createAgent({ name: 'summariser', model, store })
  const onProgress = ({ done }: { readonly done: number }) => {
    if (given !== undefined) console.log(done)
  }
  const results = await runAll(agent, documents, { concurrency: 8, onProgress })
  await store.close()
  return results.map(({ result }) => result?.text)
}

function linesOf(folder: string): readonly string[] {
  return readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')
}
