import { documentOf } from '../support/open-api.ts'
import { loopbackServer } from '../support/loopback-server.ts'
import type { ToolsetUnderTest } from '../../src/testing/toolsets/toolset-suite.ts'
import { openApiToolset } from '../../src/adapters/tools/openapi.ts'

/** Toolsets of OpenAPI documents, by where the document is; behind them a server on loopback. */
export const openApiToolsets: Readonly<Record<string, () => Promise<ToolsetUnderTest>>> = {
  'openapi at an address': () => served((origin) => ({ source: { url: `${origin}/openapi.json` } })),
  'openapi as a text': () => served((origin) => ({ source: { text: petStore }, baseUrl: origin })),
}

const petStore = documentOf(
  {
    '/pets': { get: { operationId: 'list pets' } },
    '/pets/{id}': {
      get: { operationId: 'pets/get', parameters: [{ name: 'id', in: 'path', schema: { type: 'integer' } }] },
    },
  },
  { servers: [{ url: '/' }] },
)

async function served(options: (origin: string) => Parameters<typeof openApiToolset>[0]): Promise<ToolsetUnderTest> {
  const server = await loopbackServer((response, { url }) =>
    response.end(url === '/openapi.json' ? petStore : '{"id":7}'),
  )
  return {
    toolset: openApiToolset(options(server.origin)),
    sample: { name: 'pets_get', input: { id: 7 } },
    unreachable: () => openApiToolset({ source: { file: '/nowhere/openapi.json' } }),
    dispose: async () => await server[Symbol.asyncDispose](),
  }
}
