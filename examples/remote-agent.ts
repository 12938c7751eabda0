import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAgent, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { remoteAgent } from '../src/adapters/tools/a2a.ts'
import { createA2aHandlers } from '../src/servers/a2a.ts'
import { nodeListener } from '../src/servers/http/server-node.ts'

const input = { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] }
const pay = tool({ name: 'pay', description: 'Pays.', input, needs: 'approval', execute: () => 'Paid.' })
const paying = { toolCalls: [{ name: 'pay', arguments: { euros: 9 } }] }
const clerk = createAgent({ name: 'clerk', model: scripted([paying, 'The bill is paid.']), tools: [pay] })
const authorize = ({ headers }: Request) => headers.get('authorization') === 'Bearer s3cret' && { by: 'boss' }
const server = createServer(nodeListener(await createA2aHandlers(clerk, { authorize }))).listen(0, '127.0.0.1')
await once(server, 'listening')

const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const asking = { toolCalls: [{ name: 'clerk', arguments: { prompt: 'Pay the bill.' } }] }
const tools = [remoteAgent(url, { headers: { authorization: 'Bearer s3cret' } })]
const boss = createAgent({ name: 'boss', model: scripted([asking, 'The clerk has paid.']), tools })
const run = boss.start('Have the bill paid.')
const [call] = (await run.settled()).suspended
assert.match(call?.suspension?.message ?? '', /call "pay" with \{"euros":9\}/)
await run.approve()
assert.equal((await run.settled()).text, 'The clerk has paid.')
console.log((await run.result()).text)
await Promise.all([boss.close(), clerk.close()])
server.close()
server.closeAllConnections()
