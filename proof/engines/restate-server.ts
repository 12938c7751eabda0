import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createServer, type AddressInfo } from 'node:net'

const modules = join(import.meta.dirname, 'node_modules/@restatedev')
const program = join(modules, `restate-server-${process.platform}-${process.arch}`, 'bin/restate-server')
const sdk = join(modules, 'restate-sdk/dist/index.js')

/** True if Restate's server and SDK are installed here. */
export const hasRestate = existsSync(program) && existsSync(sdk)

/** The reason for which tests on Restate are skipped. */
export const noRestate = 'Restate is not installed (npm ci --ignore-scripts --prefix proof/engines)'

/** Loads the module of the SDK, which says nothing of calls that go well. */
export async function loadRestateSdk(): Promise<unknown> {
  process.env['RESTATE_LOGGING'] = 'ERROR'
  return import(pathToFileURL(sdk).href)
}

/** Says once that tests on Restate are skipped, if it is not installed. */
export function sayNoRestate(what: string): void {
  if (!hasRestate) console.log(`${noRestate}: ${what} skipped`)
}

/** The addresses of a server, which stay the same when it is started again. */
export interface RestatePorts {
  readonly ingress: number
  readonly admin: number
  /** The nodes reach one another at this port. */
  readonly fabric: number
}

/** A running server, on loopback. */
export interface RestateServer {
  /** The address of the ingress, e.g. `http://127.0.0.1:40123`. */
  readonly url: string
  readonly ports: RestatePorts
  readonly pid: number
  /** Has the server call the objects at an address, and returns when they are known. */
  deploy(uri: string): Promise<void>
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>
}

/** A server keeps its data in this folder and is started with these ports and this key. */
export interface RestatePlace {
  readonly folder: string
  /** Default: any free ones. */
  readonly ports?: RestatePorts
  /** The file of the private key that requests to objects are signed with. Default: none. */
  readonly signingKey?: string
  /** The ports of all nodes of its cluster, in their order, its own among them. Default: it has no others. */
  readonly nodes?: readonly RestatePorts[]
}

/** Starts a server, and waits until its ingress accepts requests. Throws what it says if it does not start. */
export async function startRestate(place: RestatePlace): Promise<RestateServer> {
  const { folder, ports = await freePorts() } = place
  mkdirSync(folder, { recursive: true })
  const child = spawn(program, [], { env: settings(place, ports), stdio: ['ignore', 'pipe', 'pipe'] })
  const endWithUs = () => child.kill('SIGKILL')
  process.once('exit', endWithUs)
  child.once('exit', () => process.off('exit', endWithUs))
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => said.push(chunk.toString()) > 50 && said.shift())
  const url = `http://127.0.0.1:${ports.ingress}`
  const admin = `http://127.0.0.1:${ports.admin}`
  await Promise.all([healthy(child, `${url}/restate/health`, said), healthy(child, `${admin}/health`, said)])
  return {
    url,
    ports,
    pid: child.pid ?? 0,
    async deploy(uri) {
      const body = JSON.stringify({ uri, force: true })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${admin}/deployments`, { method: 'POST', headers, body })
      if (!answer.ok) throw new Error(`Restate does not take ${uri}: ${await answer.text()}`)
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    },
  }
}

function settings({ folder, signingKey, nodes = [] }: RestatePlace, ports: RestatePorts): NodeJS.ProcessEnv {
  const place = nodes.indexOf(ports)
  return {
    RESTATE_BASE_DIR: folder,
    RESTATE_NODE_NAME: `node-${Math.max(place, 0) + 1}`,
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_ADVERTISED_HOST: '127.0.0.1',
    RESTATE_BIND_PORT: String(ports.fabric),
    RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
    RESTATE_ADMIN__BIND_PORT: String(ports.admin),
    RESTATE_ADMIN__DISABLE_WEB_UI: 'true',
    RESTATE_DEFAULT_NUM_PARTITIONS: '2',
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '128MB',
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_LOG_FILTER: 'warn',
    // Two of three nodes keep everything, and go on if the third has died.
    ...(nodes.length > 1 && {
      RESTATE_AUTO_PROVISION: String(place === 0),
      RESTATE_DEFAULT_REPLICATION: '2',
      RESTATE_METADATA_CLIENT__ADDRESSES: JSON.stringify(nodes.map(({ fabric }) => `http://127.0.0.1:${fabric}`)),
    }),
    ...(signingKey === undefined ? {} : { RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: signingKey }),
  }
}

/** Waits until an address answers well; throws what the server has said if it ends before. */
async function healthy(child: ChildProcess, address: string, said: readonly string[]): Promise<void> {
  for (;;) {
    const isWell = await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isWell) return
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`Restate did not start: ${said.join('')}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Returns ports of this host that were free just now. */
export async function freePorts(): Promise<RestatePorts> {
  return { ingress: await freePort(), admin: await freePort(), fabric: await freePort() }
}

/** Returns a port of this host that was free just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
