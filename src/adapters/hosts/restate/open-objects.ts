import type { Agent } from '../../../index.ts'
import type { ReplicatedStore } from '../../stores/replicated/replicated-store.ts'

/** An object whose runs are driven in this process. */
export interface OpenObject {
  readonly kept: ReplicatedStore
  readonly agent: Agent
}

/** The maximum number of undriven objects that stay open. */
const mostIdle = 100

/** The objects of this process, each open once. Those that were driven last stay open. */
export class OpenObjects {
  readonly #open: (key: string) => OpenObject
  readonly #objects = new Map<string, { readonly object: OpenObject; users: number; last: Promise<unknown> }>()

  constructor(open: (key: string) => OpenObject) {
    this.#open = open
  }

  /**
   * Returns what `work` returns of an object, which stays open for as long. Works on one object come one after the other: a
   * server that was started again calls for the work that still goes on here.
   */
  async use<Result>(key: string, work: (object: OpenObject) => Promise<Result>): Promise<Result> {
    const used = this.#objects.get(key) ?? { object: this.#open(key), users: 0, last: Promise.resolve() }
    // The last one of a map is the one that was used last.
    this.#objects.delete(key)
    this.#objects.set(key, used)
    used.users++
    const result = used.last.then(() => work(used.object))
    used.last = result.catch(() => undefined)
    try {
      return await result
    } finally {
      used.users--
      this.#closeIdle()
    }
  }

  /** Passes the hash that its journal may have now to an object, if it is open. */
  onHash(key: string, hash: string): void {
    this.#objects.get(key)?.object.kept.onHash(hash)
  }

  #closeIdle(): void {
    const idle = [...this.#objects].filter(([, { users }]) => users === 0)
    for (const [key, { object }] of idle.slice(0, -mostIdle)) {
      this.#objects.delete(key)
      const close = async () => {
        await object.agent.close()
        await object.kept.store.close()
      }
      // The agent's plugins report a toolset that cannot be closed; nothing waits for it here.
      close().catch(() => undefined)
    }
  }
}
