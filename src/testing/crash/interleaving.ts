/** One order in which parallel calls finish. */
export interface Interleaving {
  /** Provider ids of calls in the order in which they finish; with `together` all calls finish at once. */
  readonly order: readonly string[] | 'together'
  /** The time of a call's effect: `start` before the call waits for its turn, `end` afterwards. */
  readonly effectAt: 'start' | 'end'
}

/** Lets the calls of one process finish one by one, each after the engine has processed the previous one. */
export class Interleaver {
  readonly effectAt: Interleaving['effectAt']
  readonly #order: Interleaving['order']
  #waiting: { rank: number; enter: () => void }[] = []
  #isScheduled = false

  constructor({ order, effectAt }: Interleaving) {
    this.#order = order
    this.effectAt = effectAt
  }

  pass(callId: string): Promise<void> {
    return new Promise((enter) => {
      this.#waiting.push({ rank: this.#rankOf(callId), enter })
      this.#schedule()
    })
  }

  #rankOf(callId: string): number {
    if (this.#order === 'together') return 0
    const rank = this.#order.indexOf(callId.slice(callId.indexOf('.') + 1))
    return rank < 0 ? this.#order.length : rank
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#release()
    })
  }

  #release(): void {
    const inOrder = this.#waiting.toSorted((left, right) => left.rank - right.rank)
    const entering = this.#order === 'together' ? inOrder : inOrder.slice(0, 1)
    this.#waiting = inOrder.slice(entering.length)
    for (const { enter } of entering) enter()
    if (this.#waiting.length > 0) this.#schedule()
  }
}

/** Returns every order of the ids, and `together`. */
export function interleavingsOf(ids: readonly string[]): readonly Interleaving[] {
  if (ids.length < 2) return [{ order: [], effectAt: 'end' }]
  const orders: Interleaving['order'][] = [...permutationsOf(ids), 'together']
  return orders.flatMap((order) => [
    { order, effectAt: 'start' as const },
    { order, effectAt: 'end' as const },
  ])
}

function permutationsOf(ids: readonly string[]): readonly (readonly string[])[] {
  if (ids.length < 2) return [ids]
  return ids.flatMap((id) => permutationsOf(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]))
}
