import { appendFileSync } from 'node:fs'
import { type Agent, createAgent, type Store, tool } from '../../src/index.ts'
import { scripted } from '../../src/providers/scripted.ts'
import { call, calls } from '../support/say.ts'

/** Milliseconds that a lease lasts. */
export const leaseMs = 2000

/** An agent that asks a person, does something once, looks something up and says that it is done. */
export function chaosAgent(store: Store, journal: string): Agent {
  const pay = tool({
    name: 'pay',
    description: 'Pays, once.',
    input: { type: 'object' },
    needs: 'approval',
    effects: 'once',
    execute: async (_, { runId }) => {
      appendFileSync(journal, `${runId}\n`, { flush: true })
      return 'paid'
    },
  })
  const look = tool({
    name: 'look',
    description: 'Looks something up.',
    input: { type: 'object' },
    effects: 'none',
    execute: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return 'seen'
    },
  })
  const model = scripted([calls(call('c1', 'look')), calls(call('c2', 'pay')), calls(call('c3', 'look')), 'Done.'])
  return createAgent({ name: 'payer', model, tools: [pay, look], store, leaseMs })
}
