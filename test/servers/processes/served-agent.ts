import { z } from 'zod'
import { createAgent, tool } from '../../../src/index.ts'
import { serveMcp } from '../../../src/servers/mcp-server.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

const send = tool({
  name: 'send',
  description: 'Sends.',
  input: z.object({}),
  needs: 'approval',
  execute: () => 'Sent.',
})
const model = scripted([{ toolCalls: [{ id: 'c', name: 'send', arguments: {} }] }, 'It is out.'])
await serveMcp(createAgent({ name: 'clerk', model, tools: [send] }))
