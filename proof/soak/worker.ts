import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Run } from '../../src/core/agent/run.ts'
import type { RunRecord } from '../../src/core/domain/run-record.ts'
import { StoreError } from '../../src/core/domain/store-error.ts'
import { httpBroker } from '../../src/adapters/brokers/http-broker.ts'
import { createPublisher } from '../../src/core/services/index.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { resultOf } from '../support/journal.ts'
import { pick, randomFrom } from '../support/random.ts'
import { FencedJournal } from './fenced-journal.ts'
import { pause, soakAgents } from './soak-agents.ts'
import { eventsAt, portsIn, secret } from './soak-service.ts'

const [folder = '', seed = '0'] = process.argv.slice(2)
const mostOpenRuns = 12
/**
 * Errors that end a drive whose lease has passed to another, or expired while a stopped process held the store's lock.
 */
const losses: ReadonlySet<string> = new Set(['run_is_driven', 'fence_conflict', 'version_conflict', 'store_busy'])
const random = randomFrom(Number(seed))
const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
const journal = new FencedJournal(folder)
const agents = soakAgents({ store, journal, random })

const { service } = portsIn(folder)
const broker = httpBroker({ secrets: [secret], endpoints: { '*': eventsAt(service) }, timeoutMs: 2_000 })
createPublisher({ store, broker, maxAttempts: 1_000, attemptMs: 3_000 })

console.log('ready')
await Promise.all([work(), work(), work()])

/** Several runs at a time, so that a kill cuts off more than one. */
async function work(): Promise<never> {
  for (;;) if (!(await workOnce())) await pause(10)
}

/** Picks a run up or begins one; false where there was nothing to do, and other work must get its turn. */
async function workOnce(): Promise<boolean> {
  const open = await openRuns()
  if (open.length < mostOpenRuns && !existsSync(join(folder, 'closing'))) {
    return drive(begin())
  }
  const record = pick(open, random)
  if (record === undefined) return false
  const run = await agentFor().load(record.id)
  const isDue = record.status === 'running' || (await answer(run)) || (await hasMail(record.id))
  return isDue && drive(run)
}

async function openRuns(): Promise<readonly RunRecord[]> {
  const lists = await Promise.all([store.list({ status: 'running' }), store.list({ status: 'waiting' })])
  return lists.flat().flatMap((record) => ('damaged' in record ? [] : record))
}

function agentFor() {
  const agent = pick(agents, random)
  if (agent === undefined) throw new Error('There are no agents.')
  return agent
}

function begin(): Run {
  return agentFor().start('Go.')
}

/** False where somebody else drives it: then it is not ours. */
async function drive(run: Run): Promise<boolean> {
  try {
    await run.settled()
    await answer(run)
    return true
  } catch (error) {
    if (error instanceof StoreError && losses.has(error.code)) return false
    throw error
  }
}

/** Answers questions, mostly with yes, and interrupted calls: what the journal has is taken, the rest is done again. */
async function answer(run: Run): Promise<boolean> {
  const { suspended } = await run.result()
  const asked = suspended.filter(({ suspension }) => suspension?.reason !== 'service')
  for (const { callId, suspension } of asked) {
    // The suspension, not the call, is what was judged: another worker may have answered it meanwhile.
    const target = suspension?.id ?? callId
    if (suspension?.reason === 'approval') {
      await (random() < 0.3 ? run.deny(target, { reason: 'No.' }) : run.approve(target))
      continue
    }
    const line = journal.linesOf(run.id).find((candidate) => candidate.callId === callId)
    if (line === undefined) await run.approve(target, { by: 'policy' })
    else await run.respond(target, resultOf(line), { by: 'policy' })
  }
  return asked.length > 0
}

async function hasMail(runId: string): Promise<boolean> {
  return (await store.inbox(runId, { isOpen: true })).length > 0
}
