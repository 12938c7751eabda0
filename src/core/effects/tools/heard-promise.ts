/** A promise that knows whether anybody waits for it. */
export class HeardPromise<Value> extends Promise<Value> {
  #isHeard = false

  /** What is made of it, such as by `then`, is a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  /** Whether anybody has asked what it comes to. */
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
