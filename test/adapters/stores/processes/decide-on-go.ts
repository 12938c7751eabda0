import { createInterface } from 'node:readline'
import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'

const [path = '', runId = '', result = ''] = process.argv.slice(2)
const store = sqliteStore(path)
process.stdout.write('ready\n')
for await (const target of createInterface({ input: process.stdin })) {
  const [receipt] = await store.decide(runId, [{ target, action: 'resume', input: result }], Date.now())
  process.stdout.write(`${receipt?.answer}\n`)
}
