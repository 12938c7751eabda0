import { afterAll, describe, expect, test } from 'vitest'
import { maxArgumentBytes } from '../../../src/core/domain/text/json-limits.ts'
import { currentOwner } from '../../../src/core/domain/owner.ts'
import { postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import {
  call,
  driverOf,
  newRun,
  ownerNamed,
  says,
  slot,
  start,
} from '../../../src/testing/stores/store-suite-fixtures.ts'
import { hasPostgres, postgresServer, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'
import { userMessage } from '../../../src/core/domain/message.ts'

sayNoPostgres('tests of texts in Postgres are')

const { url } = hasPostgres ? await postgresServer() : { url: '' }
const schema = freshSchema()
const store = postgresStore({ connectionString: url === '' ? 'postgres://127.0.0.1:1' : url, schema })
const ttl = 60_000

afterAll(async () => {
  await store.close()
  if (hasPostgres) await runSql(url, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
})

describe.skipIf(!hasPostgres)('Postgres', () => {
  test('CKP-06 Postgres: returns ids and texts with quotes, NUL, lone surrogates and backslashes', async () => {
    const odd = `it's "odd" \\ {a,b} \0 \x10 \ud800 NULL $1 @.runs`
    const owner = { ...currentOwner(odd), host: odd, pidStart: odd }
    const run = newRun(odd, { agent: odd, input: { [odd]: odd } })
    const driver = driverOf(store, await store.create(run, owner, ttl))
    const record = { ...call(2), callId: odd, toolCallId: odd, toolName: odd }
    await driver.commit({
      entries: [says(odd), slot(() => record)],
      document: JSON.stringify(odd),
      timers: [{ key: odd, due: start }],
      outcome: { reason: 'error', error: { code: 'bad_option', message: odd } },
    })
    await store.post(odd, { kind: 'steer', messages: [userMessage(odd, 1)] }, start)
    expect(await store.read(odd)).toMatchObject({ record: { id: odd, agent: odd }, input: { [odd]: odd } })
    expect(await store.calls(odd, [odd])).toMatchObject([{ record }])
    expect(await store.due(start)).toEqual([odd])
    expect(await store.inbox(odd, { isOpen: true })).toMatchObject([
      { item: { messages: [{ content: [{ text: odd }] }] } },
    ])
    expect(await store.list({ agent: odd })).toMatchObject([{ id: odd, error: { message: odd } }])
    // Ids that differ only in a lone surrogate are different runs.
    await expect(store.read(odd.replace('\ud800', '\ud801'))).rejects.toMatchObject({ code: 'run_unknown' })
    await store.release({ runId: odd, owner, fence: 1 })
    expect((await store.record(odd)).isDriven).toBe(false)
    await store.delete(odd)
  })

  test('CKP-06 Postgres: accepts a decision with a payload of a megabyte', async () => {
    const driver = driverOf(store, await store.create(newRun('large'), ownerNamed('first'), ttl))
    await driver.commit({ entries: [slot((seq) => call(seq))] })
    const result = 'x'.repeat(maxArgumentBytes - 200)
    const answered = { target: 'call-1', action: 'resume', mode: 'use-as-result', result } as const
    expect(await store.decide('large', [answered], start)).toMatchObject([{ answer: 'kept' }])
    expect(await store.inbox('large', { kinds: ['decision'] })).toMatchObject([{ item: { decision: { result } } }])
    await store.delete('large').catch(() => undefined)
  })

  test('CKP-06 Postgres: reports a damaged run, and drives the others', async () => {
    for (const id of ['sound', 'damaged']) {
      const driver = driverOf(store, await store.create(newRun(id), ownerNamed('first'), ttl))
      await driver.commit({ entries: [says(id)], release: true })
    }
    const body = `UPDATE "${schema}".log SET body = '{"cut' FROM "${schema}".runs WHERE number = log.transcript AND id = $1`
    await runSql(url, body, ['damaged'])
    const refused = await store.claim('damaged', ownerNamed('second'), ttl).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'run_damaged', message: expect.stringContaining('log row 1') })
    expect((await store.record('damaged')).isDriven).toBe(false)
    expect((await store.claim('sound', ownerNamed('second'), ttl)).lease?.fence).toBe(2)
    await runSql(url, `UPDATE "${schema}".runs SET status = 'odd' WHERE id = $1`, ['damaged'])
    const listed = (await store.list()).filter(({ id }) => id === 'sound' || id === 'damaged')
    expect(listed).toMatchObject([{ id: 'damaged', damaged: expect.stringContaining('run status') }, { id: 'sound' }])
  })

  test('CKP-06 Postgres: refuses an id that no index accepts, and stores nothing', async () => {
    const long = 'ü'.repeat(1001)
    await expect(store.create(newRun(long), ownerNamed('first'), ttl)).rejects.toThrow('has 2002 bytes')
    await expect(store.create(newRun('\0'.repeat(500)), ownerNamed('first'), ttl)).rejects.toThrow('has 2500 bytes')
    await expect(store.create(newRun('r', { agent: long }), ownerNamed('first'), ttl)).rejects.toThrow(
      'The agent of run',
    )
    expect((await store.list()).filter(({ id }) => id === long || id === 'r')).toEqual([])
  })
})
