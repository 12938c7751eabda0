import type { AgentCore } from '../driving/agent-core.ts'
import { createPublisher, type Publisher } from '../driving/publisher.ts'
import type { Broker } from '../ports/broker.ts'

/** A broker that an agent works with, until it is stopped. */
export type LinkedBroker = Pick<Publisher, 'stop'>

/** Publishes what the runs of an agent's store send, and takes in the answers that come for its runs. */
export function linkBroker(core: AgentCore, broker: Broker, resume: (runId: string) => Promise<unknown>): LinkedBroker {
  const { store, clock, name } = core
  const publisher = createPublisher({ store, broker, clock })
  const leave = broker.subscribe({ to: `/agents/${encodeURIComponent(name)}/runs/` }, async (event) => {
    const { receiveEvent } = await import('../driving/receive-event.ts')
    const receipt = await receiveEvent(core, event)
    const { answer, runId } = receipt
    // An answer that came before may have been stored by a process that ended: its run is driven on as well.
    const isStored = answer === 'applied' || answer === 'duplicate'
    if (isStored && runId !== undefined) await resume(runId).catch(() => undefined)
    return receipt
  })
  return {
    stop: async () => {
      leave()
      await publisher.stop()
    },
  }
}
