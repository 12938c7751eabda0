import type { RunConfiguration } from '../domain/run-configuration.ts'
import type { AgentParts } from '../effects/agent-parts.ts'

/** What an agent's runs are configured with, as it stands now. What the agent says wins over what its model says of itself. */
export function runConfiguration(parts: AgentParts, configName: string | undefined): RunConfiguration {
  const [model] = parts.models
  const told = {
    provider: textIn(model?.provider),
    model: textIn(model?.id),
    configName,
    wire: textIn(model?.wire),
    baseUrl: bareAddress(model?.baseUrl),
    thinking: parts.thinking ?? textIn(model?.thinking),
    contextWindow: tokensIn(model?.contextWindow),
    maxOutputTokens: parts.maxTokens ?? tokensIn(model?.maxTokens),
    temperature: parts.temperature,
  }
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined))
}

/** An address without what may be a secret in it: user info, query and fragment. What is no address is not told. */
function bareAddress(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined
  const { protocol, host, pathname } = new URL(address)
  return host === '' ? undefined : `${protocol}//${host}${pathname}`
}

/** A model of the application's own may say anything of itself. */
function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function tokensIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
