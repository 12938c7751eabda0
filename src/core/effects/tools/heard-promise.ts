/** A promise that knows whether anybody waits for it. */
export class HeardPromise<Value> extends Promise<Value> {
  #isHeard = false

  /** Derived promises, such as those of `then`, are plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  /** True once somebody awaits the promise. */
  get isHeard(): boolean {
    return this.#isHeard
  }

  // oxlint-disable-next-line unicorn/no-thenable -- It is a promise, and this is how it is asked.
  override then<Kept = Value, Caught = never>(
    onKept?: ((value: Value) => Kept | PromiseLike<Kept>) | null,
    onFailed?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Kept | Caught> {
    this.#isHeard = true
    return super.then(onKept, onFailed)
  }

  /** Hears what it comes to without counting as somebody who waits: a failure nobody hears would end the process. */
  watch(onKept: () => void, onFailed: (reason: unknown) => void): void {
    void super.then(onKept, onFailed)
  }
}
