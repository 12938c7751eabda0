import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../../src/core/agent/agent.ts'
import type { Run } from '../../src/core/agent/run.ts'
import type { RunRecord } from '../../src/core/domain/run-record.ts'
import { childOf } from '../../src/core/family/deliver-ends.ts'
import { StoreError } from '../../src/core/domain/store-error.ts'
import { httpBroker } from '../../src/adapters/brokers/http-broker.ts'
import { createPublisher } from '../../src/core/services/index.ts'
import { addMore, askedAt } from '../support/answer-root.ts'
import { resultOf } from '../support/journal.ts'
import { headsOf } from '../support/paying-family.ts'
import { pick, randomFrom } from '../support/random.ts'
import { openStore } from '../support/store-place.ts'
import { FencedJournal } from './fenced-journal.ts'
import { pause, soakAgents, soakFamily } from './soak-agents.ts'
import { eventsAt, portsIn, secret } from './soak-service.ts'

const [folder = '', seed = '0', address = '', bug] = process.argv.slice(2)
const mostOpenRuns = 12
/**
 * Errors that end a drive whose lease has passed to another, or expired while a stopped process held the store's lock.
 */
const losses: ReadonlySet<string> = new Set(['run_is_driven', 'fence_conflict', 'version_conflict', 'store_busy'])
const random = randomFrom(Number(seed))
const store = openStore(address, bug)
const journal = new FencedJournal(folder)
const agents = soakAgents({ store, journal, random })
const heads = headsOf(soakFamily({ store, journal, random }))

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
  const roots = open.filter(({ id }) => !id.includes('.'))
  if (roots.length < mostOpenRuns && !existsSync(join(folder, 'closing')))
    return drive(agentFor(random() < 0.5 ? heads : agents).start('Go.'))
  const record = pick(roots, random)
  if (record === undefined) return false
  const run = await agentFor(record.agent === 'head' ? heads : agents).load(record.id)
  const members = open.filter(({ id }) => id === record.id || id.startsWith(`${record.id}.`))
  const isDue = members.some(({ status }) => status === 'running') || (await answer(run)) || (await haveMail(members))
  return isDue && drive(run)
}

async function openRuns(): Promise<readonly RunRecord[]> {
  const lists = await Promise.all([store.list({ status: 'running' }), store.list({ status: 'waiting' })])
  return lists.flat().flatMap((record) => ('damaged' in record ? [] : record))
}

function agentFor(those: readonly Agent[]): Agent {
  const agent = pick(those, random)
  if (agent === undefined) throw new Error('There are no agents.')
  return agent
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
  const asked = (await askedAt(run)).filter(({ reason }) => reason !== 'service')
  for (const one of asked) {
    const { target, runId, callId, reason } = one
    if (reason === 'limit') {
      await addMore(run, one)
      continue
    }
    if (reason === 'approval') {
      await (random() < 0.3 ? run.deny(target, { reason: 'No.' }) : run.approve(target))
      continue
    }
    const line = journal.linesOf(runId).find((candidate) => candidate.callId === callId)
    if (line === undefined) await run.approve(target, { by: 'policy' })
    else await run.respond(target, resultOf(line), { by: 'policy' })
  }
  return asked.length > 0
}

/** True where somebody has answered one of the runs, or nobody has told one of the end of its child. */
async function haveMail(runs: readonly RunRecord[]): Promise<boolean> {
  for (const { id } of runs) {
    if ((await store.inbox(id, { isOpen: true })).length > 0) return true
    const children = (await store.calls(id, [])).flatMap(({ record }) => childOf(record) ?? [])
    for (const child of children) if ((await store.record(child)).status === 'done') return true
  }
  return false
}
