import { createServer } from 'node:http'
import { httpBroker } from '../../src/adapters/brokers/http-broker.ts'
import { nodeListener } from '../../src/servers/http/server-node.ts'
import { answerTo } from '../../src/core/services/index.ts'
import { randomFrom } from '../support/random.ts'
import { eventsAt, payment, portsIn, secret, SoakDeeds } from './soak-service.ts'

// A broker over HTTP in a process of its own, with the service that it carries events to: it acts, then it answers.
const [folder = '', seed = '0'] = process.argv.slice(2)
const random = randomFrom(Number(seed))
const { service, answers } = portsIn(folder)
const broker = httpBroker({ secrets: [secret], endpoints: { '*': eventsAt(answers) } })
const deeds = new SoakDeeds(folder)

broker.subscribe({ types: [payment.type] }, async (asked) => {
  deeds.act(asked)
  // Long enough to be killed in between: the event comes again then, and nothing is done twice.
  await new Promise((resolve) => setTimeout(resolve, random() * 100))
  await broker.publish(answerTo(asked, { source: '/service', type: 'paid', data: {} }))
})

createServer(nodeListener({ fetch: broker.handle })).listen(service, '127.0.0.1', () => console.log('ready'))
