import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { PersonProvider } from '../../../proof/mcp/scenario-credentials.ts'
import { mcpToolset } from '../../../src/adapters/tools/mcp.ts'

const ending: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

/** A listener on loopback that has nothing to say, and what it was asked. */
async function listening(): Promise<{ readonly origin: string; readonly asked: IncomingHttpHeaders[] }> {
  const asked: IncomingHttpHeaders[] = []
  const server = createServer(({ headers }, response) => {
    asked.push(headers)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ending.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, asked }
}

/** Asks a server that sends whoever wants something to another place to sign in. */
async function signingIn(url: string, place: string): Promise<unknown> {
  const challenge = `Bearer resource_metadata="${place}/metadata"`
  const refuse = async () => new Response(null, { status: 401, headers: { 'www-authenticate': challenge } })
  const headers = { 'x-api-key': 'for the server alone' }
  const toolset = mcpToolset({ name: 'closed', url, headers, fetch: refuse, auth: new PersonProvider() })
  ending.push(() => toolset.close())
  return await toolset.tools().catch((thrown: unknown) => thrown)
}

test('TOOL-04 a public server cannot redirect to a private address', async () => {
  const { origin, asked } = await listening()
  expect(await signingIn('https://tickets.example/mcp', origin)).toMatchObject({ code: 'unreachable' })
  expect(asked).toEqual([])
})

test('TOOL-04 a local server may refer to another local one, which does not receive its headers', async () => {
  const { origin, asked } = await listening()
  expect(await signingIn('http://127.0.0.1:1/mcp', origin)).toMatchObject({ code: 'unreachable' })
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.filter((headers) => 'x-api-key' in headers)).toEqual([])
})
