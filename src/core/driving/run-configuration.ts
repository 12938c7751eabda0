import type { RunConfiguration } from '../domain/run-configuration.ts'
import { defined } from '../domain/text/json.ts'
import type { AgentParts } from '../effects/agent-parts.ts'

/** Returns the current configuration of an agent's runs. The agent's settings precede those of its model. */
export function runConfiguration(parts: AgentParts, configName: string | undefined): RunConfiguration {
  const [model] = parts.models
  return defined({
    provider: textIn(model?.provider),
    model: textIn(model?.id),
    configName,
    wire: textIn(model?.wire),
    baseUrl: bareAddress(model?.baseUrl),
    thinking: parts.thinking ?? textIn(model?.thinking),
    contextWindow: tokensIn(model?.contextWindow),
    maxOutputTokens: parts.maxTokens ?? tokensIn(model?.maxTokens),
    temperature: parts.temperature,
  })
}

/**
 * Returns an address without user info, query and fragment, which may hold secrets; undefined for an invalid address.
 */
function bareAddress(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined
  const { protocol, host, pathname } = new URL(address)
  return host === '' ? undefined : `${protocol}//${host}${pathname}`
}

/** An application's own model may have any value here. */
function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function tokensIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
