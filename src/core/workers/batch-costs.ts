/** What the runs of a batch have cost, and what those under way are likely to. */
export class BatchCosts {
  readonly #underWay = new Map<string, number>()
  #spent = 0
  #ended = 0

  begin(runId: string): void {
    this.#underWay.set(runId, 0)
  }

  /** An answer of a run has come; of one that is not of the batch nothing is kept. */
  add(runId: string, cost: number): void {
    const before = this.#underWay.get(runId)
    if (before !== undefined) this.#underWay.set(runId, before + cost)
  }

  end(runId: string, cost: number): void {
    this.#underWay.delete(runId)
    this.#spent += cost
    this.#ended++
  }

  /** The run could not be driven on; its answers so far are paid for. */
  drop(runId: string): void {
    this.#spent += this.#underWay.get(runId) ?? 0
    this.#underWay.delete(runId)
  }

  get soFar(): number {
    return [...this.#underWay.values()].reduce((sum, cost) => sum + cost, this.#spent)
  }

  /** Each run under way is taken to cost as much as those that are done did at the mean. */
  get expected(): number {
    const mean = this.#ended === 0 ? 0 : this.#spent / this.#ended
    return [...this.#underWay.values()].reduce((sum, cost) => sum + Math.max(cost, mean), this.#spent)
  }
}
