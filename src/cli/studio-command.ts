import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Agent, Store } from '../index.ts'
import { CliError, exitCodes, messageOf, misuse } from './cli-error.ts'
import type { CommandResult } from './run-report.ts'
import { oneLine } from './safe-text.ts'
import type { Session } from './session.ts'

/** `studio`: serves the page of the studio until Ctrl-C. */
export async function serveStudio(session: Session): Promise<CommandResult> {
  const { store, io, options, print } = session
  const port = portOf(options.port)
  const agents = options.agents === undefined ? [] : await agentsOf(options.agents, io.cwd, store)
  const { studio } = await import('../studio/index.ts')
  const page = await studio({ store, agents, ...(port === undefined ? {} : { port }) }).catch((error: unknown) => {
    throw unusable(error, port)
  })
  const names = agents.map(({ name }) => oneLine(name, 60)).join(', ')
  print(
    `studio  ${page.address}`,
    names === ''
      ? 'Answers are stored, and carried out by whoever drives the runs. To drive them here, add --agents <module>.'
      : `Drives the runs of: ${names}`,
    'The address holds the token for writes; without it the page reads. Ctrl-C ends the studio.',
  )
  await interrupted(io.signal)
  await page.close()
  for (const agent of agents) await agent.close()
  return { exitCode: exitCodes.success, report: { url: page.url, agents: agents.map(({ name }) => name) } }
}

/** Also what the studio is refused with, such as a page that is not built, is no defect. */
function unusable(error: unknown, port: number | undefined): CliError {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  if (!isTaken) return new CliError(exitCodes.unusable, 'no_studio', messageOf(error))
  return new CliError(exitCodes.unusable, 'port_taken', `Something else listens on port ${port}.`, [
    'Name another one, or leave --port out for a free one.',
  ])
}

function portOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given)
  throw misuse('bad_port', `--port ${JSON.stringify(oneLine(given, 40))} is refused.`, 'Expected 0 to 65535.')
}

/** The agents that a module exports, as `agents` or by default: a list, or a function of the store that gives one. */
async function agentsOf(module: string, cwd: string, store: Store): Promise<readonly Agent[]> {
  const path = resolve(cwd, module)
  const wish = 'Export agents: a list of agents on the same store, or a function that is given the store.'
  const found: unknown = await import(pathToFileURL(path).href).catch((error: unknown) => {
    throw misuse('bad_agents', `The module ${oneLine(path, 500)} cannot be loaded: ${messageOf(error)}`, wish)
  })
  const exported = exportOf(found, 'agents') ?? exportOf(found, 'default')
  const given: unknown = typeof exported === 'function' ? await exported(store) : exported
  const agents = Array.isArray(given) ? given : [given]
  if (agents.length > 0 && agents.every(isAgent)) return agents
  throw misuse('bad_agents', `The module ${oneLine(path, 500)} exports no agents.`, wish)
}

function exportOf(module: unknown, name: string): unknown {
  return typeof module === 'object' && module !== null && name in module
    ? (module as { readonly [name: string]: unknown })[name]
    : undefined
}

function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'suspended' in value && 'machine' in value && 'name' in value
}

function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((end) => {
    if (signal.aborted) end()
    else signal.addEventListener('abort', () => end(), { once: true })
  })
}
