import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

const packages: Readonly<Record<string, string>> = {
  'linux x64': 'workerd-linux-64',
  'linux arm64': 'workerd-linux-arm64',
  'darwin x64': 'workerd-darwin-64',
  'darwin arm64': 'workerd-darwin-arm64',
}
const program = join(
  import.meta.dirname,
  'node_modules/@cloudflare',
  packages[`${process.platform} ${process.arch}`] ?? 'none',
  'bin/workerd',
)

/** True if workerd is installed here. */
export const hasWorkerd = existsSync(program)

/** The reason for which tests on workerd are skipped. */
export const noWorkerd = 'workerd is not installed (npm ci --ignore-scripts --prefix proof/engines)'

/** Says once that tests on workerd are skipped, if workerd is not installed. */
export function sayNoWorkerd(what: string): void {
  if (!hasWorkerd) console.log(`${noWorkerd}: ${what} skipped`)
}

/** The Worker that workerd serves. */
export interface WorkerdOptions {
  /** Keeps the objects; the same folder again continues them. */
  readonly folder: string
  /** A module without imports that exports `worker`, which answers requests, and the class `Runs`. */
  readonly script: string
  /** Texts of `env`, by name, beside the namespace `RUNS`. */
  readonly texts?: Readonly<Record<string, string>>
  /** Gives the worker Node's built-in modules. Default false. */
  readonly hasNode?: boolean
}

/** A running workerd. */
export interface Workerd {
  /** E.g. `http://127.0.0.1:40123`. */
  readonly url: string
  readonly pid: number
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>
}

/** Starts workerd on a free port of this host. Throws what workerd says if it does not start. */
export async function startWorkerd({ folder, script, texts = {}, hasNode = false }: WorkerdOptions): Promise<Workerd> {
  mkdirSync(join(folder, 'objects'), { recursive: true })
  writeFileSync(join(folder, 'worker.js'), script)
  writeFileSync(join(folder, 'config.capnp'), configOf(folder, texts, hasNode))
  const given = ['serve', '--control-fd=3', join(folder, 'config.capnp')]
  const child = spawn(program, given, { stdio: ['ignore', 'inherit', 'pipe', 'pipe'] })
  const endWithUs = () => child.kill('SIGKILL')
  process.once('exit', endWithUs)
  child.once('exit', () => process.off('exit', endWithUs))
  const said: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()))
  const port = await Promise.race([portOf(child), once(child, 'exit').then(() => undefined)])
  if (port === undefined) throw new Error(`workerd did not start: ${said.join('')}`)
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    },
  }
}

async function portOf(child: ChildProcess): Promise<number | undefined> {
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const { event, port } = JSON.parse(line) as { readonly event?: string; readonly port?: number }
    if (event === 'listen') return port
  }
  return undefined
}

function configOf(folder: string, texts: Readonly<Record<string, string>>, hasNode: boolean): string {
  const bindings = Object.entries(texts).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`)
  const flags = hasNode ? 'compatibilityFlags = ["nodejs_compat"],' : ''
  return `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "objects", disk = (path = ${JSON.stringify(join(folder, 'objects'))}, writable = true)),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = (name = "main", entrypoint = "worker"))],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-07-01",
  ${flags}
  durableObjectNamespaces = [(className = "Runs", uniqueKey = "runs", enableSql = true)],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [${['(name = "RUNS", durableObjectNamespace = "Runs")', ...bindings].join(', ')}],
);
`
}
