import { hashText } from '../domain/text/json.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { AgentCore } from '../driving/agent-core.ts'

const mostCharacters = 40
const hashCharacters = 8

/** Returns the configuration in the ids of runs: `configId`, or provider, model and thinking. A long one is hashed. */
export function configIdOf({ configId, parts }: AgentCore): string {
  if (configId !== undefined) return configId
  const [model] = parts.models
  const names = [model?.provider, model?.id, parts.thinking].filter((name) => name !== undefined)
  const whole = names.map((name) => name.replaceAll(/[^A-Za-z0-9_-]/g, '_')).join('.')
  if (whole.length <= mostCharacters) return whole
  return `${whole.slice(0, mostCharacters - hashCharacters - 1)}-${hashText(names.join('.')).slice(0, hashCharacters)}`
}

/** Returns a valid configuration id; throws a `UsageError` for an invalid one. */
export function checkedConfigId(configId: unknown): string {
  if (typeof configId === 'string' && /^[A-Za-z0-9_-]{1,40}$/.test(configId)) return configId
  const shown = typeof configId === 'string' ? JSON.stringify(configId.slice(0, 80)) : typeof configId
  const wish = `Expected 1 to ${mostCharacters} of the characters A-Z, a-z, 0-9, "_" and "-".`
  throw new UsageError('bad_config_id', `Configuration id ${shown} is refused. ${wish}`)
}
