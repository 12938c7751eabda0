import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Store, tool } from '../../src/index.ts'
import type { FamilyParts } from '../support/paying-family.ts'

/** Milliseconds that a lease lasts. */
export const leaseMs = 2000

/** The parts of the agents. Payments are written down in the file `journal`. */
export function chaosParts(store: Store, journal: string): FamilyParts {
  const pay = tool({
    name: 'pay',
    description: 'Pays, once.',
    input: { type: 'object' },
    needs: 'approval',
    effects: 'once',
    execute: async (_, { runId }) => {
      appendFileSync(journal, `${runId}\n`, { flush: true })
      // Its driver may die or be stopped between the payment and the record of it.
      await pause(20)
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
  return { store, leaseMs, pay, look }
}
