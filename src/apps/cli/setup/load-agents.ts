import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Agent, Store } from '../../../index.ts'
import type { EditorSession } from '../../../servers/acp.ts'
import type { AgentUnderTest } from '../../../testing/index.ts'
import { CliError, messageOf, misuse } from '../terminal/cli-error.ts'
import type { CliIo } from '../terminal/cli-io.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The exports of a module for the command line. Loading the module runs its code. */
export interface AgentModule {
  /** The store of its agents; absent if the agents are created on a given store. */
  readonly store?: Store
  /** Returns its agents, with unique names, on that store; a function is given what an editor offers as well. */
  agentsOn(store: Store, editor?: EditorSession): Promise<readonly Agent[]>
}

/**
 * Loads a module that exports agents, lists of them, or as `default` or `agents` a function that creates them on a
 * store. Throws a `CliError` for a file that is missing, that throws or that never settles, and for a module without
 * agents or with a duplicate name.
 */
export async function loadAgents(
  io: Pick<CliIo, 'cwd' | 'onIdle'>,
  given: string,
  option = '--agents',
): Promise<AgentModule> {
  const exported = await moduleExports(io, given, option)
  const make = [exported['default'], exported['agents']].find((value) => typeof value === 'function')
  if (make !== undefined)
    return {
      agentsOn: (store, editor) =>
        madeBy(async () => Reflect.apply(make, undefined, [store, editor]), store, given, io),
    }
  const agents = agentsIn(Object.values(exported), given)
  const stores = [...new Set(agents.map((agent) => storeOf(agent, given)))]
  const [store] = stores
  if (store === undefined || stores.length > 1) {
    const wish = 'Open one store in the module, and give it to every agent as option store.'
    throw misuse('two_stores', `The agents of ${nameOf(given)} have ${stores.length} stores.`, wish)
  }
  return { store, agentsOn: async () => agents }
}

/** Loads a module, which runs its code; throws a `CliError` for a file that is missing, that throws or that never settles. */
async function moduleExports(
  io: Pick<CliIo, 'cwd' | 'onIdle'>,
  given: string,
  option: string,
): Promise<Readonly<Record<string, unknown>>> {
  const path = resolve(io.cwd, given)
  if (given === '' || !existsSync(path)) {
    throw misuse('no_module', `There is no module ${nameOf(given)}.`, `Name a file: ${option} <file>`)
  }
  return { ...(await settled(() => import(pathToFileURL(path).href) as Promise<object>, given, io)) }
}

/** The name of the export with an agent's options, as `describePaths` takes them. */
export const exportedOptions = 'options'

/** Loads the options of an agent from a module; throws a `CliError` as `loadAgents` does, and if none are named or exported. */
export async function agentOptions(
  io: Pick<CliIo, 'cwd' | 'onIdle'>,
  given = '',
  option = '--options',
): Promise<AgentUnderTest> {
  if (given === '') {
    const wish = `The module exports them as "${exportedOptions}", without model and store.`
    throw misuse('missing_option', `This command needs the options of an agent: ${option} <file>`, wish)
  }
  const found = (await moduleExports(io, given, option))[exportedOptions]
  if (typeof found === 'object' || typeof found === 'function') return found as AgentUnderTest
  const message = `The module ${nameOf(given)} exports no "${exportedOptions}".`
  throw misuse('no_options', message, `Expected: export const ${exportedOptions} = { name, tools, … }`)
}

async function madeBy(
  make: () => Promise<unknown>,
  store: Store,
  given: string,
  io: Pick<CliIo, 'onIdle'>,
): Promise<readonly Agent[]> {
  const agents = agentsIn([await settled(make, given, io)], given)
  const other = agents.find((agent) => agent.store !== store)
  if (other === undefined) return agents
  throw misuse(
    'other_store',
    `Agent "${oneLine(other.name)}" of ${nameOf(given)} does not use the store that its function received.`,
    'Pass it to the agent as option store, or export agents with their own store.',
  )
}

/** Returns the agents among a module's exports; an agent may be exported under several names. */
function agentsIn(values: readonly unknown[], given: string): readonly Agent[] {
  const lists = values.map((value) => (isAgent(value) ? [value] : value))
  const agents = [...new Set(lists.flatMap((list) => (Array.isArray(list) ? list.filter(isAgent) : [])))]
  if (agents.length === 0) {
    throw misuse(
      'no_agent',
      `The module ${nameOf(given)} exports no agent.`,
      'Export the result of createAgent, or a function that takes a store and returns agents: export default (store) => [createAgent({ store, … })]',
    )
  }
  const twice = agents.find(({ name }, index) => agents.findIndex((other) => other.name === name) !== index)
  if (twice === undefined) return agents
  throw misuse(
    'two_agents',
    `The module ${nameOf(given)} exports two agents named "${oneLine(twice.name)}".`,
    'A run is found by the name of its agent, so rename one.',
  )
}

function storeOf({ name, store }: Agent, given: string): Store {
  if (store !== undefined) return store
  throw misuse(
    'no_store',
    `Agent "${oneLine(name)}" of ${nameOf(given)} has no store: its runs are only in the memory of this process.`,
    'Give it a store, or export a function that makes it on one: export default (store) => [createAgent({ store, … })]',
  )
}

function isAgent(value: unknown): value is Agent {
  if (typeof value !== 'object' || value === null) return false
  const methods = ['start', 'load', 'resume', 'session', 'close']
  return (
    typeof Reflect.get(value, 'name') === 'string' &&
    methods.every((name) => typeof Reflect.get(value, name) === 'function')
  )
}

/** Awaits a module's work; throws a `CliError` if it fails, or if the process has no pending event that could end it. */
async function settled<Result>(
  work: () => Promise<Result>,
  given: string,
  { onIdle }: Pick<CliIo, 'onIdle'>,
): Promise<Result> {
  const idle = Promise.withResolvers<never>()
  const forget = onIdle?.(() => idle.reject(neverSettling(given)))
  try {
    return await Promise.race([work(), idle.promise])
  } catch (error) {
    throw unloadable(given, error)
  } finally {
    forget?.()
  }
}

function neverSettling(given: string): CliError {
  return misuse(
    'bad_module',
    `The module ${nameOf(given)} never finishes loading: it awaits a promise that nothing can settle.`,
    'Look for an await at its top level, or in the function that makes its agents.',
  )
}

function unloadable(given: string, error: unknown): CliError {
  if (error instanceof CliError) return error
  const message = `The module ${nameOf(given)} cannot be loaded: ${oneLine(messageOf(error), 500)}`
  return misuse('bad_module', message, 'Loading a module runs it: check that it runs by itself, with node.')
}

function nameOf(given: string): string {
  return oneLine(JSON.stringify(given), 500)
}
