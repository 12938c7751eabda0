import type { ObjectStorage } from '../../stores/durable-object/object-storage.ts'

/** Milliseconds after which an object looks for work again if its process has ended since it wrote something. */
const lookAgainMs = 1000

/** The one alarm of an object. An alarm is set whenever the object may have work, so that work outlives its process. */
export class ObjectAlarm {
  readonly #storage: Pick<ObjectStorage, 'setAlarm' | 'deleteAlarm'>
  readonly #now: () => number
  #setFor: number | undefined
  #writes = 0

  constructor(storage: Pick<ObjectStorage, 'setAlarm' | 'deleteAlarm'>, now: () => number) {
    this.#storage = storage
    this.#now = now
  }

  /** The number of transactions that may have written. */
  get writes(): number {
    return this.#writes
  }

  /** Sets an alarm for the next write. It is stored with that write, because nothing is awaited between them. */
  beforeWrite(): void {
    this.#writes++
    const at = this.#now() + lookAgainMs
    // An object whose storage fails is started again by its platform.
    if (this.#setFor === undefined || this.#setFor > at) this.set(at).catch(() => undefined)
  }

  /** Called when the alarm has fired: sets another one in case the process ends now. */
  async wentOff(): Promise<void> {
    await this.set(this.#now() + lookAgainMs)
  }

  /** Sets the alarm, in Unix milliseconds, or removes it. */
  async set(at: number | undefined): Promise<void> {
    this.#setFor = at
    await (at === undefined ? this.#storage.deleteAlarm() : this.#storage.setAlarm(at))
  }
}
