import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { httpBroker } from '../../src/adapters/brokers/http-broker.ts'
import { nodeListener } from '../../src/servers/http/server-node.ts'
import { answerTo } from '../../src/core/services/index.ts'
import { payment, secret } from './contract.ts'

// The bank, in its own process: it books each event once, by source and id, and answers.
const [, , ledger = '', agentUrl = '', dies = ''] = process.argv
const broker = httpBroker({ secrets: [secret], endpoints: { '*': agentUrl } })

broker.subscribe({ types: [payment.type] }, async (asked) => {
  const key = `${asked.source} ${asked.id}`
  const booked = existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n') : []
  if (!booked.includes(key)) appendFileSync(ledger, `${key}\n`)
  if (dies === 'dies') process.exit(9)
  const data = { receipt: `r-${asked.id}` }
  await broker.publish(answerTo(asked, { source: '/bank', type: 'evt.bank.payment.done', data }))
})

const server = createServer(nodeListener({ fetch: broker.handle }))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' ? address?.port : address)
})
