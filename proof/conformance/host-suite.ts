import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { DecisionReceipt } from '../../src/core/domain/decision.ts'
import type { Journal } from '../engines/journal.ts'
import { askObject, type ReadRun, readRun } from '../engines/object-client.ts'
import { PlayedRun } from '../engines/played-run.ts'
import { say } from '../support/say.ts'
import type { SuiteCase } from './run-suite.ts'

/** A host that serves the shop's agent: the address of its objects, and the server that records the agent's effects. */
export interface HostUnderTest {
  readonly url: string
  readonly journal: Journal
}

let objects = 0

/** The cases of every host: a client that only stores and reads sees the same of a run, whoever keeps, wakes and performs. */
export function hostSuite(open: () => Promise<HostUnderTest>): readonly SuiteCase[] {
  const cases: readonly (readonly [name: string, run: (host: HostUnderTest, id: string) => Promise<void>])[] = [
    ['drives a stored run with a sub-agent to its question, and after the answer to its end, once', playWhole],
    ['answers decisions with the same receipts', judge],
    ['drives a run on when its question expires, though nobody asks', expire],
    ['ends a run that is cancelled while it waits', cancel],
    ['gives the checkpoints of a run, and begins another one at each', fork],
    ['goes on from a run that is done with the next message', goOn],
    ['stores and tells nothing without credentials', refuse],
  ]
  return cases.map(([name, run]) => ({ name, run: async () => run(await open(), `host-${objects++}`) }))
}

async function playWhole(host: HostUnderTest, id: string): Promise<void> {
  const run = await played(host, id)
  assert.equal(run.problem, undefined)
  assert.equal(run.paymentsIn(host.journal), 1)
  assert.deepEqual(run.transcript.slice(0, 8), wholeRun)
}

const wholeRun = [
  'user: Buy it.',
  'assistant: calls 1.c1 look',
  'result 1.c1: ok',
  'assistant: calls 2.c2 clerk',
  'result 2.c2: Paid.',
  'assistant: calls 3.c3 look',
  'result 3.c3: ok',
  'assistant: Done.',
]

async function judge({ url }: HostUnderTest, id: string): Promise<void> {
  const { suspended } = await startedAndResting(url, id, 'Buy it.')
  const decision = { target: suspended[0]?.callId, action: 'resume', mode: 'replay', decisionId: 'yes' }
  const answers = async (decisions: readonly object[]) => {
    const { receipts } = (await askObject(url, `/${id}/runs/${id}/decisions`, { decisions })) as Receipts
    return receipts.map(({ answer }) => answer)
  }
  assert.deepEqual(await answers([{ target: 'nothing', action: 'resume' }]), ['unknown'])
  assert.deepEqual(await answers([decision]), ['applied'])
  await resting(url, id)
  assert.deepEqual(await answers([decision]), ['duplicate'])
}

interface Receipts {
  readonly receipts: readonly DecisionReceipt[]
}

async function expire({ url }: HostUnderTest, id: string): Promise<void> {
  await startedAndResting(url, id, 'Ask.')
  const { messages } = await seen(url, id, ({ status }) => status === 'done')
  assert.equal(messages.map(say).at(-1), 'assistant: Nobody answered.')
}

async function cancel({ url }: HostUnderTest, id: string): Promise<void> {
  await startedAndResting(url, id, 'Buy it.')
  await askObject(url, `/${id}/runs/${id}/cancel`, { reason: 'Enough.' })
  const { outcome } = await seen(url, id, ({ status }) => status === 'done')
  assert.equal(outcome?.reason, 'cancelled')
}

async function fork(host: HostUnderTest, id: string): Promise<void> {
  const { url } = host
  await played(host, id)
  const { checkpoints } = (await askObject(url, `/${id}/runs/${id}/history`)) as {
    readonly checkpoints: readonly { readonly version: number }[]
  }
  assert.ok(checkpoints.length > 1)
  await Promise.all(
    checkpoints.map(async ({ version }) => {
      await askObject(url, `/${id}/runs/${id}/fork`, { from: version, runId: `other-${version}` })
      await seen(url, `other-${version}`, ({ status }) => status !== 'running', id)
    }),
  )
}

async function goOn(host: HostUnderTest, id: string): Promise<void> {
  const { url } = host
  await played(host, id)
  await askObject(url, `/${id}/runs/${id}/prompt`, { prompt: 'And now?', runId: 'next' })
  const { messages } = await seen(url, 'next', ({ status }) => status === 'done', id)
  assert.deepEqual(messages.map(say).slice(0, 9), [...wholeRun, 'user: And now?'])
}

async function refuse({ url }: HostUnderTest, id: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ prompt: 'Buy it.', runId: id })
  const { status } = await fetch(`${url}/${id}/runs`, { method: 'POST', headers, body })
  assert.equal(status, 403)
  assert.equal((await fetch(`${url}/${id}/runs`)).status, 403)
  assert.equal(await readRun(url, id), 'unknown')
}

async function played({ url, journal }: HostUnderTest, id: string): Promise<PlayedRun> {
  const run = new PlayedRun(id)
  while (!run.isDone) {
    await run.advance({ url, journal, since: performance.now(), fault: 'none' })
    await pause(20)
  }
  return run
}

async function startedAndResting(url: string, id: string, prompt: string): Promise<ReadRun> {
  await askObject(url, `/${id}/runs`, { prompt, runId: id })
  return resting(url, id)
}

const resting = (url: string, id: string) => seen(url, id, ({ status }) => status !== 'running')

/** Reads a run until it is as wanted. */
async function seen(url: string, id: string, isWanted: (run: ReadRun) => boolean, object = id): Promise<ReadRun> {
  for (;;) {
    const run = await readRun(url, id, object)
    if (typeof run === 'object' && isWanted(run)) return run
    await pause(20)
  }
}
