import { createAgent } from '../../src/core/agent/create-agent.ts'
import type { Run } from '../../src/core/agent/run.ts'
import { StoreError } from '../../src/core/domain/store-error.ts'
import { tool } from '../../src/core/ports/define-tool.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { Journal, resultOf } from '../support/journal.ts'
import { headsOf, caps } from '../support/paying-family.ts'
import { openStore } from '../support/store-place.ts'
import type { FamilyAnswer, FamilyOrder, FamilyOutcome } from './family-orders.ts'
import { sessionRacer } from './obey-session-order.ts'
import type { Order, Outcome } from './orders.ts'
import { racedFamily } from './raced-family.ts'
import type { SessionOrder } from './session-orders.ts'

const [folder = '', address = '', bug] = process.argv.slice(2)
const store = openStore(address, bug)
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
const heads = headsOf(racedFamily(store, journal))

process.on('message', (order: Order | SessionOrder | FamilyOrder) => {
  const obeyed = 'sessionId' in order ? obeyInSession(order) : 'root' in order ? obeyInFamily(order) : obey(order)
  void obeyed.then(
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

/** Does in a family what the other process does too; who answers drives the root. */
async function obeyInFamily({ root, what, cap, at }: FamilyOrder): Promise<FamilyOutcome> {
  const head = heads[caps.indexOf(cap)] ?? agent
  const run = what === 'start' ? undefined : await head.load(root).catch(() => undefined)
  const answerer = typeof what === 'object' ? await head.load(what.runId) : undefined
  while (Date.now() < at);
  if (what === 'start') return drive(head.start('Pay.', { runId: root }))
  if (run === undefined) return { drive: 'run_unknown' }
  if (what === 'drive' || answerer === undefined) return drive(run)
  const [outcome, { answer }] = await Promise.all([drive(run), give(answerer, what)])
  return { ...outcome, answer }
}

function give(run: Run, { target, action, value }: FamilyAnswer) {
  if (action === 'respond') return run.respond(target, value ?? null)
  return action === 'approve' ? run.approve(target) : run.deny(target, { reason: 'No.' })
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
