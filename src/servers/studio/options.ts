import { randomBytes } from 'node:crypto'
import type { AnyStateMachine } from 'xstate'
import { type Agent, type Store, UsageError } from '../../index.ts'
import type { AgentSource } from '../../testing/index.ts'

/** Options of a studio. */
export interface StudioOptions {
  /** The store of the shown runs. It stays open when the studio is closed. */
  readonly store: Store
  /**
   * Agents on the same store. Runs of these are driven by this process once they are answered; those of other agents are
   * answered too, and driven by whoever drives them. Default: none.
   */
  readonly agents?: readonly Agent[]
  /** Your own machines that are drawn together with those of the engine, by name. */
  readonly charts?: Readonly<Record<string, AnyStateMachine>>
  /** Options of an agent, as `describePaths` takes them: its charts show what stored runs walk, and what tests take of it. */
  readonly tested?: AgentSource
  /** The port. Default: a free port. */
  readonly port?: number
  /** The token that a request has to show, 16 letters or more. Default: a fresh one. */
  readonly token?: string
  /** The name `by` in the record of decisions. Default `studio`. */
  readonly by?: string
}

/** Options with their defaults applied. */
export type CheckedOptions = Required<Omit<StudioOptions, 'tested'>> & Pick<StudioOptions, 'tested'>

const known: readonly string[] = [
  'store',
  'agents',
  'charts',
  'tested',
  'port',
  'token',
  'by',
] satisfies (keyof StudioOptions)[]

/** Returns the options with their defaults; throws a `UsageError` `bad_option` for an invalid one. */
export function checkedOptions(given: StudioOptions): CheckedOptions {
  if (typeof given !== 'object' || given === null) throw refused('store', 'is missing. Expected studio({ store }).')
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined) throw refused(unknown, `is not known. Known: ${known.join(', ')}.`)
  const { store, agents = [], charts = {}, tested, port = 0, token = freshToken(), by = 'studio' } = given
  if (typeof store?.list !== 'function')
    throw refused('store', 'is not a store. Expected one, such as sqliteStore(file).')
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw refused('port', 'is refused. Expected 0 to 65535.')
  if (!/^[\w.~-]{16,}$/.test(token))
    throw refused('token', 'is refused. Expected 16 or more letters, digits, "_", "-", "." or "~".')
  if (typeof by !== 'string' || by === '') throw refused('by', 'is refused. Expected a name.')
  const names = agents.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw refused('agents', `has two agents named ${JSON.stringify(twice)}. Keep one.`)
  return { store, agents, charts, port, token, by, ...(tested === undefined ? {} : { tested }) }
}

function refused(name: string, what: string): UsageError {
  return new UsageError('bad_option', `Option ${name} of studio ${what}`)
}

function freshToken(): string {
  return randomBytes(24).toString('base64url')
}
