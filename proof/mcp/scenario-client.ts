import { auth, type OAuthClientProvider } from '@modelcontextprotocol/client'
import type { Tool } from '../../src/core/ports/tool.ts'
import { mcpToolset } from '../../src/adapters/tools/mcp.ts'
import { performCall } from './perform-call.ts'
import { PersonProvider, providerFor } from './scenario-credentials.ts'

/** The instructions of a scenario to its client. */
export interface PlayedScenario {
  readonly name: string
  /** Address of the scenario's server. */
  readonly url: string
  /** The client's stored agreement from before, as JSON. */
  readonly context?: string
}

/**
 * The client the official conformance scenarios are played with: it lists the tools of the server it is pointed at, and
 * calls each of them once. A person who is sent to an authorization server signs in at once.
 */
export async function playClient({ name, url, context }: PlayedScenario): Promise<void> {
  const provider = providerFor(name, context)
  const signedIn = signingIn(provider, url)
  const options = name.startsWith('auth/') ? { auth: provider } : {}
  const toolset = mcpToolset({ name: 'scenario', url, ...options })
  try {
    const tools = await signedIn(() => toolset.tools())
    for (const tool of tools) {
      const given = name === 'tools_call' ? { a: 2, b: 3 } : {}
      await signedIn(() => callOnce(tools, tool.name, given))
    }
  } finally {
    await toolset.close()
  }
}

async function callOnce(tools: readonly Tool[], name: string, given: object): Promise<unknown> {
  const suspension = { id: 'asked', reason: 'input' as const }
  const first = await performCall(tools, name, given)
  if (isTicket(first)) {
    const answered = { suspension: { ...suspension, ...first.ticket }, decision: {} }
    return await performCall(tools, name, given, answered)
  }
  if (isFailed(first)) throw new Error(JSON.stringify(first))
  return first
}

/** Tries again with the code a person brought back, three times at most. */
function signingIn(provider: OAuthClientProvider, url: string): <T>(act: () => Promise<T>) => Promise<T> {
  return async (act) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await act()
      } catch (error) {
        const code = provider instanceof PersonProvider ? provider.takeCode() : undefined
        if (code === undefined || attempt > 2) throw error
        await exchange(provider, url, code)
      }
    }
  }
}

async function exchange(given: OAuthClientProvider, url: string, code: URLSearchParams): Promise<void> {
  await auth(given, { serverUrl: url, authorizationCode: code.get('code') ?? '', ...issuerIn(code) })
}

function issuerIn(code: URLSearchParams): { readonly iss?: string } {
  const iss = code.get('iss')
  return iss === null ? {} : { iss }
}

function isTicket(value: unknown): value is { readonly ticket: object } {
  return typeof value === 'object' && value !== null && 'ticket' in value
}

function isFailed(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'status' in value && value.status === 'error'
}
