import { type Store, type ToolContext, tool } from '../../src/index.ts'
import type { FamilyParts } from '../support/paying-family.ts'
import { type Journal, resultOf } from '../support/journal.ts'

/** The parts of the families that are raced. */
export function racedFamily(store: Store, journal: Journal): FamilyParts {
  const act = async (_: unknown, context: ToolContext) => {
    journal.append(context)
    await new Promise((resolve) => setImmediate(resolve))
    return resultOf(context)
  }
  const input = { type: 'object' }
  const pay = tool({ name: 'pay', description: 'Pays.', input, needs: 'approval', effects: 'once', execute: act })
  const look = tool({ name: 'look', description: 'Looks something up.', input, effects: 'idempotent', execute: act })
  return { store, leaseMs: 500, pay, look }
}
