import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent } from '../src/index.ts'
import { listOutgoing } from '../src/ports.ts'
import { httpBroker } from '../src/adapters/brokers/http-broker.ts'
import { nodeListener } from '../src/servers/http/server-node.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import { payment, secret } from './payment-service/contract.ts'

// An agent pays through a bank in another process, which is killed after it has booked and before it has answered.
const folder = mkdtempSync(join(tmpdir(), 'payment-'))
const ledger = join(folder, 'ledger')
const store = sqliteStore(join(folder, 'runs.db'))
let bankUrl = ''
const broker = httpBroker({ secrets: [secret], endpoints: () => bankUrl })
const server = createServer(nodeListener({ fetch: broker.handle })).listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
const agentUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/events`

async function startBank(how = 'lives'): Promise<ChildProcess> {
  const bank = spawn(process.execPath, [join(import.meta.dirname, 'payment-service/bank.ts'), ledger, agentUrl, how])
  const [port] = await once(bank.stdout, 'data')
  bankUrl = `http://127.0.0.1:${String(port).trim()}/events`
  return bank
}

const dying = await startBank('dies')
const pay = { name: 'com_bank_payment', arguments: { to: 'Ada', amount: 900 } }
const model = scripted([{ toolCalls: [pay] }, 'Ada is paid.'])
const agent = createAgent({ name: 'clerk', model, services: [payment], broker, store })
const done = new Promise<void>((resolve) => agent.on((event) => event.type === 'run.ended' && resolve()))

const { status } = await agent.run('Pay Ada 900.', { runId: 'pay' })
console.log(`${status}: the payment has left`)
if (dying.exitCode === null) await once(dying, 'exit')
console.log(`the bank was killed, with ${dying.exitCode}`)

const bank = await startBank()
await done
const { text } = await (await agent.load('pay')).result()
// Closing waits for outgoing events.
await agent.close()
const booked = readFileSync(ledger, 'utf8').trim().split('\n')
const [row] = await listOutgoing(store)
assert.equal(text, 'Ada is paid.')
assert.equal(booked.length, 1)
assert.equal(row?.state, 'sent')
console.log(`${text} Booked ${booked.length} time; sent more than once: ${(row?.attempts ?? 0) > 1}`)

await store.close()
bank.kill()
server.close()
rmSync(folder, { recursive: true, force: true })
