import { join } from 'node:path'
import { createAgent } from '../../src/core/agent/create-agent.ts'
import type { Run } from '../../src/core/agent/run.ts'
import { StoreError } from '../../src/core/domain/store-error.ts'
import { tool } from '../../src/core/ports/define-tool.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { Journal, resultOf } from '../support/journal.ts'
import { sessionRacer } from './obey-session-order.ts'
import type { Order, Outcome } from './orders.ts'
import type { SessionOrder } from './session-orders.ts'

const [folder = ''] = process.argv.slice(2)
const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
const journal = new Journal(folder)
const agent = createAgent({
  name: 'raced',
  store,
  model: scripted([{ toolCalls: [{ id: 'a', name: 'ask', arguments: {} }] }, 'Done.']),
  tools: [
    tool({
      name: 'ask',
      description: 'Appends a line.',
      input: { type: 'object' },
      needs: 'approval',
      execute: async (_, context) => {
        journal.append(context)
        await new Promise((resolve) => setImmediate(resolve))
        return resultOf(context)
      },
    }),
  ],
})

const obeyInSession = sessionRacer(store)

process.on('message', (order: Order | SessionOrder) => {
  void ('sessionId' in order ? obeyInSession(order) : obey(order)).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(0))

/** Does at the given moment what the other process does too. */
async function obey({ runId, what, at }: Order): Promise<Outcome> {
  const run = await agent.load(runId).catch(() => undefined)
  while (Date.now() < at);
  if (what === 'start') return drive(agent.start('Go.', { runId }))
  if (run === undefined) return { drive: 'run_unknown' }
  if (what === 'drive') return drive(run)
  const decision = what === 'approve' ? run.approve('1.a') : run.deny('1.a', { reason: 'No.' })
  const [outcome, { answer }] = await Promise.all([drive(run), decision])
  return { ...outcome, answer }
}

async function drive(run: Run): Promise<Outcome> {
  try {
    const { status } = await run.settled()
    return { drive: status }
  } catch (error) {
    if (error instanceof StoreError) return { drive: error.code }
    throw error
  }
}
