import { z } from 'zod'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { contract } from '../../../src/index.ts'
import { answerTo, type ServiceEvent } from '../../../src/core/services/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { present } from './present.ts'
import { listOutgoing } from '../../../src/core/driving/list-outgoing.ts'

/** Type of the event that says that a payment is done. */
export const paid = 'evt.bank.payment.done'
/** A service that pays. */
export const payment = contract({
  type: 'com.bank.payment',
  version: '1.0.0',
  description: 'Pays somebody.',
  accepts: z.object({ parentSubject$$: z.string(), amount: z.number() }),
  emits: { [paid]: z.object({ receipt: z.string() }) },
  domain: { north: 'bank.north', south: 'bank.south' },
  cancel: 'com.bank.payment.cancel',
  expiresInMs: 60_000,
  executionUnits: 2.5,
})

/** A call of it. */
export const pay = (id: string, amount: unknown = 5) => call(id, 'com_bank_payment', { amount } as never)

/** An agent that may pay, its store and what has left it. */
export function banking(options: TestAgentOptions = {}) {
  const store = memoryStore()
  const made = testAgent({ store, services: [payment], replies: [calls(pay('a')), 'Paid.'], ...options })
  const sent = async () => (await listOutgoing(store, { runId })).map(({ body }) => body as unknown as ServiceEvent)
  const start = () =>
    made.agent.run('Pay', { runId, subject: 'talk-7', labels: { tenant: 'north' }, delegatedBy: '/agents/boss' })
  return { ...made, store, sent, start }
}

/** The answer to a payment that was asked for. */
export const done = (asked: ServiceEvent | undefined, changes: Partial<ServiceEvent> = {}): ServiceEvent => ({
  ...answerTo(present(asked), { source: '/bank', type: paid, data: { receipt: 'r-1' } }),
  ...changes,
})
