/** The most ids that are remembered; the oldest are forgotten first. */
const mostIds = 100_000

/** Remembers which messages came, for as long as their timestamps would be accepted. */
export class SeenIds {
  readonly #forMs: number
  readonly #now: () => number
  /** When each came, the oldest first. */
  readonly #seen = new Map<string, number>()

  constructor(forMs: number, now: () => number) {
    this.#forMs = forMs
    this.#now = now
  }

  /** Takes a message in, unless it was taken in before or is being taken in. One that could not be may come again. */
  async once(id: string, take: () => Promise<Response>, before: () => Response): Promise<Response> {
    this.#forget()
    if (this.#seen.has(id)) return before()
    this.#seen.set(id, this.#now())
    try {
      const response = await take()
      if (!response.ok) this.#seen.delete(id)
      return response
    } catch (error) {
      this.#seen.delete(id)
      throw error
    }
  }

  #forget(): void {
    for (const [id, at] of this.#seen) {
      if (this.#seen.size <= mostIds && at + this.#forMs >= this.#now()) return
      this.#seen.delete(id)
    }
  }
}
