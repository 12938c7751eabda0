import type { AgentCore } from '../driving/agent-core.ts'
import { createPublisher, type Publisher } from '../driving/publisher.ts'
import type { Broker } from '../ports/broker.ts'

/** A broker that is connected to an agent until `stop` is called. */
export type LinkedBroker = Pick<Publisher, 'stop'>

/** Publishes the outgoing events of an agent's store, and receives the answers for the agent's runs. */
export function linkBroker(core: AgentCore, broker: Broker, resume: (runId: string) => Promise<unknown>): LinkedBroker {
  const { store, clock, name } = core
  const publisher = createPublisher({ store, broker, clock })
  const leave = broker.subscribe({ to: `/agents/${encodeURIComponent(name)}/runs/` }, async (event) => {
    const { receiveEvent } = await import('../driving/receive-event.ts')
    const receipt = await receiveEvent(core, event)
    const { answer, runId } = receipt
    // A duplicate answer may have been stored by a process that has died, so its run is resumed too.
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
