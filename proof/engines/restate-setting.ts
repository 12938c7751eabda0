import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { restateStore } from '../../src/adapters/hosts/restate/index.ts'
import { routeToObject } from '../../src/adapters/hosts/route-to-object.ts'
import { createHandlers, type Handlers } from '../../src/servers/http/server.ts'
import { nodeListener } from '../../src/servers/http/server-node.ts'
import type { EngineSetting, SettingPlan } from './engine-setting.ts'
import { token } from './object-client.ts'
import { freePort, startRestate } from './restate-server.ts'
import { shopAgent } from './shop-agent.ts'

/** One server, one process that drives, and a web server of the objects, which only stores and reads. */
export async function restateSetting({ folder, journal, plant }: SettingPlan): Promise<EngineSetting> {
  const place = { folder: join(folder, 'data') }
  let server = await startRestate(place)
  const port = await freePort()
  const start = () => startObjects({ ingress: server.url, journal: journal.url, port, plant })
  let driver = await start()
  await server.deploy(driver.url)
  const front = await startFront(server.url)
  return {
    mostOpen: 4,
    lookMs: 200,
    url: () => front.url,
    faults: {
      async processKills() {
        await driver.kill()
        driver = await start()
      },
      async serverKills() {
        await server.kill()
        server = await startRestate({ ...place, ports: server.ports })
      },
    },
    async [Symbol.asyncDispose]() {
      await driver.kill()
      await server.kill()
      await front[Symbol.asyncDispose]()
    },
  }
}

/** The objects of a process, as `restate-process.ts` serves them. */
interface ServedProcess {
  readonly url: string
  kill(): Promise<void>
}

/** Options of a process that serves objects. */
export interface ObjectsProcess {
  readonly ingress: string
  readonly journal: string
  readonly port?: number
  readonly plant?: string | undefined
  /** The public key that requests must be signed with. */
  readonly key?: string
}

/** Starts a process that serves the shop's objects. */
export async function startObjects(given: ObjectsProcess): Promise<ServedProcess> {
  const { ingress, journal, port = 0, plant = '', key } = given
  const env = { ...process.env, INGRESS: ingress, JOURNAL: journal, PORT: String(port), PLANT: plant }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'restate-process.ts')], {
    env: key === undefined ? env : { ...env, KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()) > 50 && said.shift())
  const ended = once(child, 'exit').then(() => [undefined])
  const [url] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [string?]
  if (url === undefined) throw new Error(`The objects are not served: ${said.join('')}`)
  return { url, kill: () => killed(child) }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

/** Serves the routes of every object on loopback; nothing is driven here. */
async function startFront(ingress: string): Promise<AsyncDisposable & { readonly url: string }> {
  const objects = new Map<string, Handlers>()
  const getByName = (object: string): Handlers => {
    const known = objects.get(object)
    if (known !== undefined) return known
    const agent = shopAgent({ store: restateStore({ ingress, object }), act: async () => 'never' })
    const authorize = (request: Request) => request.headers.get('authorization') === `Bearer ${token}`
    const handlers = createHandlers(agent, { authorize, drive: false })
    objects.set(object, handlers)
    return handlers
  }
  const server = createServer(nodeListener({ fetch: (request) => routeToObject(request, { getByName }) }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
