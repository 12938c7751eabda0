import {
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** A server in this process, as `fetch` reaches it; what it was made to do is on its list. */
export interface AskingServer {
  readonly url: string
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  readonly deployed: string[]
}

const confirmation = z.object({ confirm: z.boolean(), note: z.string().default('none') })

/**
 * A server of protocol 2026-07-28 on the official package. Its tool `deploy` asks for a confirmation first, and keeps
 * nothing of the call meanwhile: all of it goes out, signed, and has to come back.
 */
export function askingServer(): AskingServer {
  const deployed: string[] = []
  const codec = createRequestStateCodec<{ readonly place: string }>({ key: 'a secret of this server, 32 bytes long' })
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'asking', version: '1' }, { requestState: { verify: codec.verify } })
      const config = { description: 'Deploys.', inputSchema: z.object({ place: z.string() }) }
      server.registerTool('deploy', config, async ({ place }, { mcpReq }) => {
        const asked = mcpReq.requestState<{ readonly place: string }>()
        const answer = acceptedContent(mcpReq.inputResponses, 'confirm', confirmation)
        if (asked?.place !== place || mcpReq.inputResponses === undefined) {
          const question = { message: `Deploy to ${place}?`, requestedSchema: confirmation }
          const requestState = await codec.mint({ place })
          return inputRequired({ inputRequests: { confirm: inputRequired.elicit(question) }, requestState })
        }
        if (answer?.confirm !== true) return { content: [{ type: 'text', text: 'Not deployed.' }] }
        deployed.push(place)
        const times = deployed.filter((each) => each === place).length
        return { content: [{ type: 'text', text: `Deployed to ${place} (${times}), note: ${answer.note}.` }] }
      })
      return server
    },
    { legacy: 'reject' },
  )
  return {
    url: 'http://asking.invalid/mcp',
    fetch: async (url, init) => await handler.fetch(new Request(url, init)),
    deployed,
  }
}
