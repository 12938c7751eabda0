import { appendFileSync } from 'node:fs'
import { z } from 'zod'
import { createAgent, type Store, tool, type Toolset } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import type { EditorSession } from '../../../src/servers/acp.ts'

const delivery = tool({
  name: 'deliver',
  description: 'Delivers a parcel.',
  input: z.object({ to: z.string() }),
  needs: 'approval',
  execute: ({ to }) => {
    appendFileSync(process.env['DELIVERIES'] ?? '', `${to}\n`)
    return `Delivered to ${to}.`
  },
})

const survey = tool({
  name: 'survey',
  description: 'Asks the person for the weight.',
  input: z.object({}),
  execute: (_, context) =>
    context.suspend({
      message: 'How heavy is it?',
      responseSchema: { type: 'object', properties: { kilos: { type: 'number' } }, required: ['kilos'] },
    }),
})

/** Its close is on record. */
const ledger: Toolset = {
  name: 'ledger',
  tools: async () => [],
  close: async () => appendFileSync(process.env['DELIVERIES'] ?? '', 'closed\n'),
}

/** Agents for an editor: the script of the model comes from the environment. */
export const agents = (store: Store, editor?: EditorSession) => [
  createAgent({
    name: 'courier',
    model: scripted(JSON.parse(process.env['SCRIPT'] ?? '[]')),
    tools: [delivery, survey],
    store,
  }),
  ...(editor === undefined ? [] : [createAgent({ name: 'clerk', model: scripted([]), tools: [ledger], store })]),
]
