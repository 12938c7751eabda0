import { expect, test } from 'vitest'
import { openAccount } from '../../../src/core/domain/account.ts'
import { reserve, settle } from '../../../src/core/domain/charge-account.ts'
import { decisionWrites, takeBackGrant, useGrant } from '../../../src/core/domain/granted.ts'
import { endAnswer, markReader, putAnswer } from '../../../src/core/domain/live-answer.ts'
import { dropItem, failItem, markSent, retryItem, sendItems, takeItems } from '../../../src/core/domain/outgoing.ts'
import { type RecordChange, writing } from '../../../src/core/domain/records/record-change.ts'
import { recordKinds } from '../../../src/core/domain/records/record-kinds.ts'
import { rowsOf } from '../../../src/core/domain/records/record-read.ts'
import { beat, leave } from '../../../src/core/domain/worker-record.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { createDriver } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { randomFrom } from '../../../proof/support/random.ts'
import { activityOf, changeSession, removeIdleSession, removeSession } from '../../../src/core/domain/session-record.ts'
import { sessionState } from '../../../src/testing/stores/store-suite-sessions.ts'

const run = 'run'
const clock = { now: () => 1_000_000 }
const at = clock.now()
const names = ['one', 'two', 'three']
const entry = { action: 'approved', runId: run, callId: 'call', toolName: 'pay' } as const
const grant = {
  grantee: 'user:anna',
  scope: 'once',
  says: 'allow',
  toolName: 'pay',
  definition: 'd',
  runId: run,
  callId: 'call',
} as const

/** The changes of every kind, made of a name and a number below 6. */
const changes: readonly ((name: string, number: number) => RecordChange<unknown>)[] = [
  () => openAccount('family', { tokens: 12, nanos: 9 }),
  (name, units) => reserve('family', name, { attempt: `${units % 2}`, tokens: units, nanos: 1 }),
  (name, units) => settle('family', name, `${units % 2}`, { tokens: units, nanos: units }),
  (name, units) => settle('family', name, `${units % 2}`),
  (name, number) => {
    const record = { entry: { ...entry, decisionId: name }, grant: { ...grant, id: name } }
    return writing(...decisionWrites([record], 'clerk', at + number))
  },
  (name, number) => useGrant(name, { ...entry, callId: `call-${number}` }, at),
  (name, number) => takeBackGrant(name, { at: at + number }),
  (name, number) => sendItems(run, [{ id: `${number}`, kind: 'event', destination: name, body: number }], at),
  (_, number) => takeItems({ kinds: ['event'], now: at + number, limit: 100, holdMs: 3 }),
  (name, number) => markSent(keyOf(name, number)),
  (name, number) => failItem({ key: keyOf(name, number), attempts: 1 }, { problem: 'down', until: at + number }),
  (name, number) => failItem({ key: keyOf(name, number), attempts: 1 }, { problem: 'gone' }),
  (name, number) => retryItem(keyOf(name, number)),
  (name, number) => dropItem(keyOf(name, number)),
  (name, number) => changeSession(sessionState(name, { runs: number }), 2 ** 24 + number - 1, at + number),
  (name) => changeSession(sessionState(name, { metadata: { plan: 'gold' } }), 0),
  (name, number) => writing(activityOf(name, at + number)),
  (name) => removeSession(name),
  (name, number) => removeIdleSession(name, 2 ** 24 + number, at + 3),
  () => markReader(run),
  (name, number) => putAnswer(run, 1, { turn: number, deltas: [{ type: 'text', delta: name }] }),
  (_, number) => endAnswer(run, number),
  (name, driving) =>
    beat({ id: name, host: 'here', pid: 1, agents: ['clerk'], concurrency: 4, driving, startedAt: at }),
  (name) => leave(name),
]

function keyOf(destination: string, number: number): string {
  return JSON.stringify([run, 'event', destination, `${number}`])
}

/** Everything that is stored, but how often it was put. */
async function rowsIn(store: Store): Promise<readonly unknown[]> {
  const reads = recordKinds.map((table) => rowsOf(table, { values: [], limit: 1_000 }))
  const found = await store.records(reads)
  return reads.map((read) => found.raw(read).map(({ key, body }) => ({ key, body })))
}

test('CKP-06 repeating any record change leaves the records as after the first time', async () => {
  const random = randomFrom(7)
  const below = (count: number) => Math.floor(random() * count)
  const [once, twice] = [memoryStore({ clock }), memoryStore({ clock })]
  for (const store of [once, twice]) await createDriver(store, run)
  const made = new Set<number>()
  for (let turn = 0; turn < 2_000; turn++) {
    const place = below(changes.length)
    const change = changes[place]?.(names[below(3)] ?? '', below(6)) ?? writing()
    await once.change(change).catch(() => undefined)
    await twice.change(change).catch(() => undefined)
    // Refused because the record was changed or deleted meanwhile.
    await twice.change(change).catch(() => undefined)
    made.add(place)
    expect(await rowsIn(twice)).toEqual(await rowsIn(once))
  }
  expect(made.size).toBe(changes.length)
})
