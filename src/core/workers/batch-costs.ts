/** The costs of a batch's finished runs, and the expected costs of its running ones. */
export class BatchCosts {
  readonly #underWay = new Map<string, number>()
  #spent = 0
  #ended = 0

  begin(runId: string): void {
    this.#underWay.set(runId, 0)
  }

  /** Adds the cost of an answer; ignores runs outside the batch. */
  add(runId: string, cost: number): void {
    const before = this.#underWay.get(runId)
    if (before !== undefined) this.#underWay.set(runId, before + cost)
  }

  end(runId: string, cost: number): void {
    this.#underWay.delete(runId)
    this.#spent += cost
    this.#ended++
  }

  /** Drops a run that could not be driven further; its answers so far count as spent. */
  drop(runId: string): void {
    this.#spent += this.#underWay.get(runId) ?? 0
    this.#underWay.delete(runId)
  }

  get soFar(): number {
    return [...this.#underWay.values()].reduce((sum, cost) => sum + cost, this.#spent)
  }

  /** The expected total: each running run counts at least the mean cost of the finished runs. */
  get expected(): number {
    const mean = this.#ended === 0 ? 0 : this.#spent / this.#ended
    return [...this.#underWay.values()].reduce((sum, cost) => sum + Math.max(cost, mean), this.#spent)
  }
}
