import { answerTo, type ServiceEvent } from '../../core/domain/service-event.ts'
import { type Broker, isMeant, type Subscription } from '../../core/ports/broker.ts'
import type { ServiceContract } from '../../core/ports/service-contract.ts'
import { sampleOf } from '../paths/sample-of.ts'
import type { SimulatedProcess } from './process.ts'
import type { WorldParts } from './world-parts.ts'

/** A subscriber in one process. */
interface Listener {
  readonly process: SimulatedProcess
  readonly subscription: Subscription
  readonly heard: (event: ServiceEvent) => unknown
}

/** The milliseconds after which an unconfirmed answer is sent again. */
const repeatMs = 3000

/**
 * A broker with its services. Answers come late, twice, in any order, and while an earlier one is still being
 * delivered.
 */
export class SimulatedBroker {
  readonly #world: WorldParts
  readonly #contracts = new Map<string, ServiceContract>()
  readonly #listeners = new Set<Listener>()
  /** Ids of the questions whose answers are being delivered. */
  readonly #underWay: string[] = []

  constructor(world: WorldParts) {
    this.#world = world
  }

  /** Has services answer what these contracts ask. */
  know(contracts: readonly ServiceContract[]): void {
    for (const contract of contracts) this.#contracts.set(contract.type, contract)
  }

  /** The broker as one process reaches it. */
  at(process: SimulatedProcess): Broker {
    return {
      publish: (event) => process.request(() => this.#take(event)),
      subscribe: (subscription, heard) => {
        const listener = { process, subscription, heard }
        this.#listeners.add(listener)
        return () => void this.#listeners.delete(listener)
      },
    }
  }

  #take(event: ServiceEvent): void {
    const contract = this.#contracts.get(event.type)
    if (contract === undefined) return
    this.#world.tell('The service', `takes ${event.type} ${event.id}`)
    const copies = this.#world.choices.of(1, 1, 2, 3)
    for (let copy = 0; copy < copies; copy++) void this.#answer(event, contract)
  }

  /** Sends an answer until a receiver has accepted it. */
  async #answer(event: ServiceEvent, { emits }: ServiceContract): Promise<void> {
    const { choices, scheduler } = this.#world
    const [type = '', schema = {}] = Object.entries(emits)[0] ?? []
    const answer = answerTo(event, { source: '/simulated', type, data: sampleOf(schema) })
    for (let isHeard = false; !isHeard;) {
      await scheduler.wait(choices.of(0, 3, 20, 400, 2000))
      const listeners = [...this.#listeners].filter(
        ({ process, subscription }) => process.isAlive && isMeant(subscription, answer),
      )
      const listener = choices.among(listeners)
      const confirmed = listener && this.#deliver(event.id, listener, () => listener.heard(answer))
      isHeard = await Promise.race([confirmed ?? false, scheduler.wait(repeatMs).then(() => false)])
      if (listener === undefined) await scheduler.wait(repeatMs)
    }
  }
  /** Returns false if a delivery has failed. */
  async #deliver(id: string, { process }: Listener, hear: () => unknown): Promise<boolean> {
    if (this.#underWay.includes(id)) this.#world.tell('The broker', `repeats the answer to ${id}, which is on its way`)
    this.#underWay.push(id)
    try {
      await process.request(async () => hear())
      return true
    } catch {
      return false
    } finally {
      this.#underWay.splice(this.#underWay.indexOf(id), 1)
    }
  }
}
