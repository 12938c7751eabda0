import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Agent, createAgent, type Store, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { call, calls } from '../support/say.ts'

/** Milliseconds that a lease lasts. */
export const leaseMs = 2000

/** Where payments are written down, and how long a payment takes. */
export interface ChaosTools {
  readonly journal: string
  readonly toolMs: number
}

/** An agent that looks something up, asks a person, does something once, looks again and says that it is done. */
export function chaosAgent(store: Store, { journal, toolMs }: ChaosTools): Agent {
  const pay = tool({
    name: 'pay',
    description: 'Pays, once.',
    input: { type: 'object' },
    needs: 'approval',
    effects: 'once',
    execute: async (_, { runId }) => {
      appendFileSync(journal, `${runId}\n`, { flush: true })
      // Its driver may die or be stopped between the payment and the record of it.
      await pause(toolMs)
      return 'paid'
    },
  })
  const look = tool({
    name: 'look',
    description: 'Looks something up.',
    input: { type: 'object' },
    effects: 'none',
    execute: async () => {
      await pause(20)
      return 'seen'
    },
  })
  const model = scripted([calls(call('c1', 'look')), calls(call('c2', 'pay')), calls(call('c3', 'look')), 'Done.'])
  return createAgent({ name: 'payer', model, tools: [pay, look], store, leaseMs })
}
