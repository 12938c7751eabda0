/** The maximum number of remembered ids; the oldest are forgotten first. */
const mostIds = 100_000

interface Seen {
  readonly at: number
  /** The answer of the first delivery. Its body is never read, so that each repeat gets a copy. */
  readonly taking?: Promise<Response>
}

/** Remembers received messages for as long as their timestamps would be accepted. */
export class SeenIds {
  readonly #forMs: number
  readonly #now: () => number
  readonly #seen = new Map<string, Seen>()

  constructor(forMs: number, now: () => number) {
    this.#forMs = forMs
    this.#now = now
  }

  /** Processes a message once. A repeat waits for the first delivery. A failed message may be delivered again. */
  async once(id: string, take: () => Promise<Response>, before: () => Response): Promise<Response> {
    this.#forget()
    const known = this.#seen.get(id)
    if (known !== undefined) {
      const first = await known.taking
      return first === undefined || first.ok ? before() : first.clone()
    }
    const at = this.#now()
    const taking = take()
    this.#seen.set(id, { at, taking })
    try {
      const response = await taking
      if (response.ok) this.#seen.set(id, { at })
      else this.#seen.delete(id)
      return response.clone()
    } catch (error) {
      this.#seen.delete(id)
      throw error
    }
  }

  #forget(): void {
    for (const [id, { at }] of this.#seen) {
      if (this.#seen.size <= mostIds && at + this.#forMs >= this.#now()) return
      this.#seen.delete(id)
    }
  }
}
