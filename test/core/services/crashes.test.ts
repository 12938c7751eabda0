import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { mortalOutbox as mortal } from '../../../proof/support/mortal-outbox.ts'
import { quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { contract } from '../../../src/index.ts'
import { type ServiceEvent, answerTo, inProcessBroker } from '../../../src/core/services/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { listOutgoing } from '../../../src/core/driving/list-outgoing.ts'

const payment = contract({
  type: 'pay',
  version: '1',
  accepts: { type: 'object' },
  emits: { paid: { type: 'object' } },
})

/** A bank outside: it pays once for each event, and answers again whatever it was asked again. */
function bank() {
  const heard: string[] = []
  const paid: string[] = []
  const answers = new Map<string, ServiceEvent>()
  return {
    heard,
    paid,
    answers,
    hear(asked: ServiceEvent): ServiceEvent {
      const key = `${asked.source} ${asked.id}`
      heard.push(key)
      if (!answers.has(key)) paid.push(key)
      const answer = answerTo(asked, { source: '/bank', type: 'paid', data: { receipt: asked.id } })
      answers.set(key, answer)
      return answer
    },
  }
}

async function play(at: number, side: 'before' | 'after') {
  const clock = fakeClock()
  const inner = memoryStore({ clock })
  const outside = bank()
  let died = false
  for (const [index, process] of ['p1', 'p2', 'p3'].entries()) {
    const { store, isDead } = mortal(inner, index === 0 ? at : -1, side)
    const broker = inProcessBroker()
    broker.subscribe({ types: ['pay'] }, async (asked) => {
      const answer = outside.hear(asked)
      await broker.publish(answer).catch(() => undefined)
    })
    const replies = [calls(call('a', 'pay'), call('b', 'pay')), calls(call('c', 'pay')), 'Paid.']
    const { agent } = testAgent({ replies, services: [payment], store, broker, clock, process })
    const run = agent.start('Pay', { runId, ifExists: 'attach' })
    run.settled().catch(() => undefined)
    for (let round = 0; round < 12; round++) {
      await quiet()
      // The service keeps answering until it has a receipt.
      if (index > 0) for (const answer of outside.answers.values()) await broker.publish(answer).catch(() => undefined)
      if (index > 0) clock.advance(40_000)
    }
    died ||= isDead()
    await agent.close().catch(() => undefined)
    if (index === 0 && !died) break
  }
  const { status, doneReason } = await inner.record(runId)
  const log = (await inner.read(runId)).log
  const results = log.flatMap((entry) => (entry.kind === 'call' ? JSON.stringify(entry.call.result?.content) : []))
  const rows = (await listOutgoing(inner, { runId })).map(({ id, state }) => `${id} ${state}`)
  return { died, ending: { status, doneReason, results, rows, paid: outside.paid.toSorted() }, heard: outside.heard }
}

test('SVC-01 DEC-08 a run killed at every write sends each event at least once under one id, and its service acts once', async () => {
  const undisturbed = await play(-1, 'after')
  const source = '/agents/test/runs/run-1'
  expect(undisturbed.ending).toMatchObject({
    status: 'done',
    doneReason: 'natural_end',
    rows: ['1.a sent', '1.b sent', '2.c sent'],
    paid: ['1.a', '1.b', '2.c'].map((id) => `${source} ${id}`),
  })
  let points = 0
  for (let at = 0; ; at++) {
    const before = await play(at, 'before')
    if (!before.died) break
    const after = await play(at, 'after')
    points += 2
    for (const { ending, heard } of [before, after]) {
      expect({ at, ...ending }).toEqual({ at, ...undisturbed.ending })
      expect(new Set(heard)).toEqual(new Set(undisturbed.ending.paid))
    }
  }
  expect(points).toBeGreaterThan(20)
})
