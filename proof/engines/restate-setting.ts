import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { restateStore } from '../../src/adapters/hosts/restate/index.ts'
import { serveShops } from './serve-shops.ts'
import type { Cut, EngineSetting, SettingPlan } from './engine-setting.ts'
import { freePort, freePorts, type RestatePorts, type RestateServer, startRestate } from './restate-server.ts'

/** One server, one process that drives, and a web server of the objects, which only stores and reads. */
export async function restateSetting(plan: SettingPlan): Promise<EngineSetting> {
  const place = { folder: join(plan.folder, 'data') }
  let server = await startRestate(place)
  const { faults, ...served } = await serveShop(plan, [server])
  return {
    ...served,
    faults: {
      ...faults,
      async serverKills() {
        await server.kill()
        server = await startRestate({ ...place, ports: server.ports })
      },
    },
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]()
      await server.kill()
    },
  }
}

/** Three servers that are one cluster; one of them is killed at a time, and the others accept requests meanwhile. */
export async function clusterSetting(plan: SettingPlan): Promise<EngineSetting> {
  const nodes = [await freePorts(), await freePorts(), await freePorts()]
  const start = (ports: RestatePorts) =>
    startRestate({ folder: join(plan.folder, `node-${nodes.indexOf(ports)}`), ports, nodes })
  const servers = await Promise.all(nodes.map(start))
  const { faults, ...served } = await serveShop(plan, servers)
  let starting = Promise.resolve()
  let kills = 0
  return {
    ...served,
    faults: {
      ...faults,
      async nodeKills() {
        await starting
        const place = kills++ % servers.length
        await servers[place]?.kill()
        const again = nodes.slice(place, place + 1).map(async (ports) => void (servers[place] = await start(ports)))
        starting = Promise.all(again).then(() => undefined)
      },
    },
    async [Symbol.asyncDispose]() {
      await starting
      await served[Symbol.asyncDispose]()
      await Promise.all(servers.map((server) => server.kill()))
    },
  }
}

/** Serves the shop to servers of one cluster, and the ways to reach and to disturb it. */
async function serveShop({ journal, plant }: SettingPlan, servers: readonly RestateServer[]): Promise<EngineSetting> {
  const ingress = servers.map(({ url }) => url)
  const port = await freePort()
  const start = (cut?: Cut) => startObjects({ ingress: ingress.join(','), journal: journal.url, port, plant, cut })
  let driver = await start()
  let isCutting = false
  await servers[0]?.deploy(driver.url)
  // A web server of the objects, which only stores and reads.
  const storeOf = (object: string) => restateStore({ ingress, object })
  const front = await serveShops({ storeOf, drive: false, act: async () => 'never' })
  return {
    mostOpen: 4,
    lookMs: 200,
    url: () => front.url,
    mostCuts: 1,
    async cut(_, at) {
      isCutting = false
      await driver.kill()
      const cut = await start(at)
      driver = cut
      isCutting = true
      let again: Promise<void> | undefined
      void cut.ended.then(() => {
        if (isCutting && driver === cut) again = start().then((next) => void (driver = next))
      })
      return async () => {
        await again
        return again !== undefined
      }
    },
    faults: {
      async processKills() {
        await driver.kill()
        driver = await start()
      },
    },
    async [Symbol.asyncDispose]() {
      isCutting = false
      await driver.kill()
      await front[Symbol.asyncDispose]()
    },
  }
}

/** The objects of a process, as `restate-process.ts` serves them. */
interface ServedProcess {
  readonly url: string
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
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
  /** The process ends itself at this entry of the server's journals. */
  readonly cut?: Cut | undefined
}

/** Starts a process that serves the shop's objects. */
export async function startObjects(given: ObjectsProcess): Promise<ServedProcess> {
  const { ingress, journal, port = 0, plant = '', key, cut } = given
  const env = { ...process.env, INGRESS: ingress, JOURNAL: journal, PORT: String(port), PLANT: plant }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'restate-process.ts')], {
    env: {
      ...env,
      ...(key === undefined ? {} : { KEY: key }),
      ...(cut === undefined ? {} : { CUT: String(cut.write), CUT_KEPT: String(cut.isKept) }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()) > 50 && said.shift())
  const ended = once(child, 'exit').then(() => undefined)
  const line = once(createInterface({ input: child.stdout }), 'line')
  const [url] = (await Promise.race([line, ended.then(() => [])])) as [string?]
  if (url === undefined) throw new Error(`The objects are not served: ${said.join('')}`)
  return { url, ended, kill: () => killed(child) }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
