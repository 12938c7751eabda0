import { statSync } from 'node:fs'
import { join } from 'node:path'
import { runToEnd } from '../../bench/agent-turns.ts'
import { countingAgent } from '../../bench/counting-agent.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'

/**
 * Returns the bytes of a SQLite file with one run of 50 turns, each with a call and 2 kB of messages, divided by the
 * bytes of its messages' JSON.
 */
export async function bytesAtRest(folder: string): Promise<number> {
  const path = join(folder, 'runs.db')
  const store = sqliteStore(path, { synchronous: 'normal' })
  await runToEnd(countingAgent({ turns: 50, store, text: 'r'.repeat(800) }))
  const [record] = await store.list()
  const { log } = await store.read(record?.id ?? '')
  await store.close()
  const messages = log.flatMap((entry) => {
    if (entry.kind === 'message' && entry.place === undefined) return entry.message
    return entry.kind === 'call' ? (entry.call.result ?? []) : []
  })
  if (messages.length !== 102) throw new Error(`The run has ${messages.length} messages; expected 102.`)
  return statSync(path).size / Buffer.byteLength(JSON.stringify(messages))
}
