import { z } from 'zod'
import { type Plugin, tool } from '../src/index.ts'

const read = tool({
  name: 'read',
  description: 'Reads an invoice.',
  input: z.object({ id: z.string() }),
  effects: 'none',
  execute: ({ id }) => `Invoice ${id}: 900 to Ada.`,
})

const send = tool({
  name: 'send',
  description: 'Sends an invoice.',
  input: z.object({ to: z.string(), amount: z.number() }),
  needs: ({ amount }) => amount > 100,
  execute: ({ to, amount }) => `Sent ${amount} to ${to}.`,
})

/** A plugin that blocks messages without a recipient. */
const addressee: Plugin = {
  name: 'addressee',
  gateCall: ({ call, arguments: given }) => {
    const { to } = given as { readonly to?: string }
    return call.toolName === 'send' && to === '' ? { block: 'Nobody to send to.' } : undefined
  },
}

/** The agent's options except its model and its store, shared by an application and its tests. */
export const yourAgent = { name: 'clerk', tools: [read, send], plugins: [addressee] }
