import { auth, type OAuthClientProvider } from '@modelcontextprotocol/client'
import { mcpToolset } from '../../src/tools/mcp.ts'
import { performCall } from './perform-call.ts'
import { PersonProvider, providerFor } from './scenario-credentials.ts'

// The client the official conformance scenarios are played with: it lists the tools of the server it is pointed at, and
// calls each of them once. A person who is sent to an authorization server signs in at once.
const [url = ''] = process.argv.slice(2)
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const provider = providerFor(scenario, process.env['MCP_CONFORMANCE_CONTEXT'])
const options = scenario.startsWith('auth/') ? { auth: provider } : {}
const toolset = mcpToolset({ name: 'scenario', url, ...options })
try {
  const tools = await signedIn(() => toolset.tools())
  for (const tool of tools) {
    const given = scenario === 'tools_call' ? { a: 2, b: 3 } : {}
    await signedIn(async () => {
      const suspension = { id: 'asked', reason: 'input' as const }
      const first = await performCall(tools, tool.name, given)
      if (isTicket(first)) {
        const answered = { suspension: { ...suspension, ...first.ticket }, decision: {} }
        return await performCall(tools, tool.name, given, answered)
      }
      if (isFailed(first)) throw new Error(JSON.stringify(first))
      return first
    })
  }
} finally {
  await toolset.close()
}

/** Tries again with the code a person brought back, three times at most. */
async function signedIn<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      const code = provider instanceof PersonProvider ? provider.takeCode() : undefined
      if (code === undefined || attempt > 2) throw error
      await exchange(provider, code)
    }
  }
}

async function exchange(given: OAuthClientProvider, code: URLSearchParams): Promise<void> {
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
