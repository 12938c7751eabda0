import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { Agent } from '../../src/core/agent/agent.ts'
import { httpBroker } from '../../src/adapters/brokers/http-broker.ts'
import { nodeListener } from '../../src/servers/http/server-node.ts'
import { secret, type SoakPorts } from './soak-service.ts'

/** Takes in over HTTP what the service answers, for an agent that drives nothing; says first where both sides listen. */
export async function takeAnswers(folder: string, agent: Agent): Promise<Server> {
  const broker = httpBroker({ secrets: [secret] })
  broker.subscribe({}, (event) => agent.receive(event))
  const server = await listening(createServer(nodeListener({ fetch: broker.handle })))
  const spare = await listening(createServer())
  const ports: SoakPorts = { service: portOf(spare), answers: portOf(server) }
  writeFileSync(join(folder, 'ports.json'), JSON.stringify(ports))
  // The service gets a port that was free, each time it is started.
  spare.close()
  await once(spare, 'close')
  return server
}

async function listening(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('A server has no port.')
  return address.port
}
