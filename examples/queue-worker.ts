import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'

interface Job {
  readonly id: string
  readonly prompt: string
}

/** A queue that delivers each job at least once, as most queues do; here it delivers every job twice. */
const queue: Job[] = [1, 2].flatMap((number) => {
  const job = { id: `job-${number}`, prompt: `Summarise page ${number}.` }
  return [job, job]
})

const folder = mkdtempSync(join(tmpdir(), 'queue-worker-'))
const store = sqliteStore(join(folder, 'runs.db'))
let asked = 0
const model = scripted(() => `Summary ${++asked}.`)

/** One of several workers, in this process or another. A job's id is its run's id, so a repeated job finds its run. */
async function work(): Promise<void> {
  await using agent = createAgent({ name: 'summariser', model, store })
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    const run = agent.start(job.prompt, { runId: job.id, ifExists: 'attach' })
    const { status, text } = await run.settled({ follow: true })
    assert.equal(status, 'done')
    assert.match(text, /^Summary/)
  }
}

try {
  await Promise.all([work(), work()])
  const runs = await store.list()
  assert.equal(asked, 2)
  console.log(`4 deliveries, ${runs.length} runs, the model was asked ${asked} times`)
} finally {
  await store.close()
  rmSync(folder, { recursive: true })
}
