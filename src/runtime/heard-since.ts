import type { EffectResult } from '../ports/effect-handler.ts'
import type { LiveRun } from './live-run.ts'

/**
 * What a drive has told its machine since the last commit and the store cannot give again: results of effects, and failures.
 * Where that commit is refused for good, it is told once more to the run as its last commit has it.
 */
export class HeardSince {
  #told: ((live: LiveRun, now: number) => void)[] = []
  readonly keys = new Set<string>()

  /** Tells a result to the run. */
  result(live: LiveRun, key: string, result: EffectResult<unknown>, now: number): void {
    this.keys.add(key)
    this.#told.push((later, at) => later.complete(key, result, at))
    live.complete(key, result, now)
  }

  /** Sends an event to the run. */
  event(live: LiveRun, event: { readonly type: string }): void {
    this.#told.push((later) => later.stepper.send(event))
    live.stepper.send(event)
  }

  /** A commit holds all of it. */
  forget(): void {
    this.#told = []
    this.keys.clear()
  }

  tellAgain(live: LiveRun, now: number): void {
    for (const tell of this.#told) tell(live, now)
  }
}
