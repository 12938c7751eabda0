import { expect, onTestFinished, test } from 'vitest'
import { hasPostgres, postgresServer, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'
import { postgresMemory, type PostgresMemoryOptions } from '../../../src/adapters/memory/postgres/index.ts'
import { memorySuite } from '../../../src/testing/index.ts'
import { findingCases } from './finding-cases.ts'

sayNoPostgres('the memory on Postgres is')

async function opened(options: PostgresMemoryOptions = {}) {
  const { url } = await postgresServer()
  const schema = options.schema ?? freshSchema()
  const memory = postgresMemory({ connectionString: url, ...options, schema })
  const dispose = async () => {
    await memory.close()
    await runSql(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  }
  return { memory, schema, url, dispose }
}

const item = (key: string, data: string, at = 0) => ({ userId: 'ann', kind: 'answer', key, data, at })
const patienceMs = 120_000

for (const { name, run } of memorySuite(opened)) {
  test.skipIf(!hasPostgres)(`CTX-05 Postgres: ${name}`, () => expect(run()).resolves.toBeUndefined(), patienceMs)
}

for (const [name, run] of Object.entries(findingCases)) {
  const playing = async () => {
    const { memory, dispose } = await opened()
    try {
      await run(memory)
    } finally {
      await dispose()
    }
  }
  test.skipIf(!hasPostgres)(`CTX-04 Postgres: ${name}`, () => expect(playing()).resolves.toBeUndefined(), patienceMs)
}

test.skipIf(!hasPostgres)(
  "CTX-04 Postgres: keeps at most the allowed number of a user's memories, searches by meaning, and stores any text",
  async () => {
    const embed = async (texts: readonly string[]) => texts.map((text) => (text.includes('sea') ? [1, 0] : [0, 1]))
    const { memory, dispose } = await opened({ maxRows: 2, embed })
    onTestFinished(dispose)
    for (const [at, text] of ['old sea', 'bread', 'the sea\0\ud800'].entries())
      await memory.add(item(`k${at}`, text, at))
    const found = await memory.query({ userId: 'ann', input: 'sea' })
    expect(found.map(({ data }) => data)).toEqual(['the sea\0\ud800', 'bread'])
    expect(await memory.forget('ann')).toBe(2)
  },
  patienceMs,
)

test.skipIf(!hasPostgres)(
  'CTX-04 Postgres: refuses a schema of another language or program, and leaves it unchanged',
  async () => {
    const { memory, schema, url, dispose } = await opened({ language: 'plain' })
    onTestFinished(dispose)
    await memory.add(item('k1', 'tea'))
    const other = postgresMemory({ connectionString: url, schema })
    onTestFinished(() => other.close())
    await expect(other.query({ userId: 'ann', input: 'tea' })).rejects.toMatchObject({
      code: 'memory_foreign',
      message: `The memory in schema "${schema}" was made for language: 'plain'. Give that language, or name another schema.`,
    })
    await runSql(url, `DROP TABLE ${schema}.memory_layout`)
    await expect(other.query({ userId: 'ann', input: 'tea' })).rejects.toMatchObject({ code: 'memory_foreign' })
    expect(await memory.query({ userId: 'ann', input: 'tea' })).toHaveLength(1)
  },
  patienceMs,
)

test('CTX-04 Postgres: refuses options without a database or with two, and reports an unreachable server', async () => {
  expect(() => postgresMemory({})).toThrow('postgresMemory needs one of "connectionString" and "pool".')
  const memory = postgresMemory({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
  onTestFinished(() => memory.close())
  await expect(memory.query({ userId: 'ann', input: 'tea' })).rejects.toMatchObject({ code: 'memory_failed' })
})
