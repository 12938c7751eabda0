import { objectStore } from '../../stores/durable-object/object-store.ts'
import type { ObjectStorage } from '../../stores/durable-object/object-storage.ts'
import type { AgentCore } from '../../../core/driving/agent-core.ts'
import { coreOf } from '../../../core/driving/core-of.ts'
import type { Agent, Store } from '../../../index.ts'
import { createHandlers, type Handlers, type HandlersOptions } from '../../../servers/http/server.ts'
import { driveObject } from './drive-object.ts'
import { ObjectAlarm } from './object-alarm.ts'

/** The parts of a Durable Object's state, `ctx`, that a host uses. */
export interface ObjectState {
  readonly storage: ObjectStorage
}

/** The store and the bindings, which an object receives each time it is created in memory. */
export interface RunObjectGiven<Env> {
  /** The object's own store. It is the agent's option `store`. */
  readonly store: Store
  /** The bindings and secrets of the Worker. */
  readonly env: Env
}

/** The agent of an object, and the check of who may reach its runs. Without `authorize`, every request is refused. */
export interface RunObjectParts extends Omit<HandlersOptions, 'drive'> {
  readonly agent: Agent
}

/** A Durable Object that keeps and drives runs. */
export interface RunObject {
  /** Answers the routes of `createHandlers`. */
  fetch(request: Request): Promise<Response>
  /** Drives the object's work. Called by the platform. */
  alarm(): Promise<void>
}

/**
 * Returns the class of a Durable Object whose SQLite stores runs of an agent: a request stores, and an alarm drives.
 * Its namespace needs SQLite (`new_sqlite_classes`).
 *
 * @example
 * export const Runs = runObject<Env>(({ store, env }) => ({
 *   agent: createAgent({ name: 'clerk', model, tools, store }),
 *   authorize: (request) => request.headers.get('authorization') === `Bearer ${env.TOKEN}`,
 * }))
 */
export function runObject<Env>(
  make: (given: RunObjectGiven<Env>) => RunObjectParts,
): new (state: ObjectState, env: Env) => RunObject {
  return class implements RunObject {
    readonly #alarm: ObjectAlarm
    readonly #agent: Agent
    readonly #core: AgentCore
    readonly #handlers: Handlers
    #isDriving = false

    constructor({ storage }: ObjectState, env: Env) {
      const alarm = new ObjectAlarm(storage, Date.now)
      const store = objectStore(storage, { onWrite: () => alarm.beforeWrite() })
      const { agent, ...options } = make({ store, env })
      this.#alarm = alarm
      this.#agent = agent
      this.#core = coreOf(agent, 'runObject')
      this.#handlers = createHandlers(agent, { ...options, drive: false })
    }

    async fetch(request: Request): Promise<Response> {
      const { writes } = this.#alarm
      const response = await this.#handlers.fetch(request)
      if (this.#alarm.writes !== writes && !this.#isDriving) await this.#alarm.set(Date.now())
      return response
    }

    async alarm(): Promise<void> {
      await this.#alarm.wentOff()
      this.#isDriving = true
      try {
        await driveObject(this.#agent, this.#core, this.#alarm)
      } finally {
        this.#isDriving = false
      }
    }
  }
}
