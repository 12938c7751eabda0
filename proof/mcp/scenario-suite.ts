import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SuiteCase } from '../conformance/run-suite.ts'

/** Scenarios that are not passed, each with the reason. They are played all the same: passing one is a failure too. */
export const notPassed: Readonly<Record<string, string>> = {
  'auth/2025-03-26-oauth-metadata-backcompat':
    'the scenario’s server names another issuer than it was asked for, which the client package refuses (RFC 8414, 3.3)',
}

const program = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
)
const shim = fileURLToPath(new URL('scenario-shim.ts', import.meta.url))
const host = fileURLToPath(new URL('scenario-host.ts', import.meta.url))

/** The official scenarios for clients; all of them are played once the first is asked for. */
export async function scenarioSuite(): Promise<readonly SuiteCase[]> {
  const { said } = await runProgram(['list', '--client'])
  const names = [...said.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name)
  if (names.length < 20) throw new Error(`Only ${names.length} client scenarios are listed.`)
  let played: Promise<Played> | undefined
  return names.map((name) => ({ name, run: async () => judge(name, await (played ??= playAll(names))) }))
}

/** The messages about each scenario that did not pass. */
type Played = ReadonlyMap<string, string>

function judge(scenario: string, played: Played): void {
  const said = played.get(scenario)
  const isExpected = scenario in notPassed
  if (said === undefined && isExpected) throw new Error('It passes: take it off the list of those that are not passed.')
  if (said !== undefined && !isExpected) throw new Error(said)
}

/** Milliseconds after which a client is taken to hang: far more than it needs on a busy machine. */
const patience = '200000'

/**
 * Plays all scenarios side by side, with clients that live in one process. What does not pass there is played alone, and
 * counts as it comes out then: some scenarios measure times.
 */
async function playAll(names: readonly string[]): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-scenarios-'))
  const env = { ...process.env, SCENARIO_SOCKET: join(folder, 'clients') }
  const clients = await startHost(env)
  const play = (what: readonly string[]) =>
    runProgram(['client', '--command', `${process.execPath} ${shim}`, ...what, '--timeout', patience], {
      cwd: folder,
      env,
    })
  try {
    const { said } = await play(['--suite', 'all'])
    const failed = new Map<string, string>()
    for (const name of names) {
      if (said.includes(`\n✓ ${name}: `)) continue
      const alone = await play(['--scenario', name])
      if (alone.status !== 0) failed.set(name, alone.said.slice(alone.said.lastIndexOf('Test Results')))
    }
    return failed
  } finally {
    clients.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Resolves once the process of the clients listens. What they print is not ours to judge. */
async function startHost(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, [host], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  return child
}

/** Its output and its end. */
async function runProgram(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<{ status: number; said: string }> {
  return await new Promise((resolve) => {
    const limits = { encoding: 'utf8', maxBuffer: 10_000_000 } as const
    const child = execFile(process.execPath, [program, ...args], { ...limits, ...options }, (_, out, problems) => {
      resolve({ status: child.exitCode ?? 1, said: out + problems })
    })
  })
}
