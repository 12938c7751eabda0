import { UsageError } from '../domain/text/usage-error.ts'
import type { AgentCore } from './agent-core.ts'

const cores = new WeakMap<object, AgentCore>()

/** Stores the core of an agent, which `checkRuns` reads. */
export function keepCore(agent: object, core: AgentCore): void {
  cores.set(agent, core)
}

/**
 * Returns the core of an agent; `who` names the caller. Throws a `UsageError` for a value that `createAgent` has not
 * made.
 */
export function coreOf(agent: object, who: string): AgentCore {
  const core = cores.get(agent)
  if (core !== undefined) return core
  throw new UsageError('bad_option', `${who} received no agent. Pass one that createAgent returned.`)
}
