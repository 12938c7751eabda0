import type { Clock } from '../../core/ports/clock.ts'
import type { Ids } from '../../core/ports/ids.ts'
import type { Run } from '../../core/agent/run.ts'
import type { ToolContext } from '../../core/ports/tool.ts'
import type { CommittedLog } from './committed-log.ts'
import type { MortalProcess } from './mortal-process.ts'
import type { Interleaver } from './interleaving.ts'

const startedAt = 1_700_000_000_000

/** The placeholder for a tool's name in the record of a value that was kept outside. */
export const keepName = '(keep)'

/** One effect of a tool on the outside. */
export interface PerformedEffect {
  readonly toolName: string
  readonly callId: string
  readonly idempotencyKey: string
  readonly result: string
}

/** The state that survives every crash: the performed effects, the time, and the issued ids. */
export interface EnvironmentState {
  readonly effects: PerformedEffect[]
  /** Messages and their sending processes; the message of a dead process may still reach the store. */
  readonly saying: { readonly by: MortalProcess; readonly said: Promise<unknown> }[]
  readonly clock: ManualClock
  readonly ids: Ids
}

/** Returns the state of an unused environment. */
export function newEnvironmentState(): EnvironmentState {
  let count = 0
  return { effects: [], saying: [], clock: new ManualClock(), ids: { next: (prefix) => `${prefix}_${++count}` } }
}

/** The outside world of one process; a dead process cannot reach it. */
export interface CrashEnvironment {
  readonly clock: ManualClock
  /** The start time of the environment, in Unix milliseconds. */
  readonly startedAt: number
  /** The process's handle of the run, for tools that send it messages; throws before the run is started. */
  readonly run: Run
  /** Sends a message to the run once per trial. A message that a dead process has already sent is not sent again. */
  say(kind: 'steer' | 'followUp', text: string): Promise<void>
  /** Performs an effect for a tool, as soon as it is the call's turn. */
  perform(context: ToolContext, result: string): Promise<string>
  /** Returns the result of a call's effect, or undefined if the effect did not happen. */
  resultOf(callId: string): string | undefined
  /** Stores a value outside under a key, as a memory does. A second value with the same key is ignored. */
  keep(key: string, value: string): void
}

/** The environment of one trial. */
export class TrialEnvironment implements CrashEnvironment {
  readonly #state: EnvironmentState
  readonly #mortal: MortalProcess
  readonly #interleaver: Interleaver
  readonly #log: CommittedLog
  #run: Run | undefined

  constructor(state: EnvironmentState, mortal: MortalProcess, interleaver: Interleaver, log: CommittedLog) {
    this.#state = state
    this.#mortal = mortal
    this.#interleaver = interleaver
    this.#log = log
  }

  get clock(): ManualClock {
    return this.#state.clock
  }

  get startedAt(): number {
    return startedAt
  }

  get run(): Run {
    if (this.#run === undefined) throw new Error('The run has not been started.')
    return this.#run
  }

  /** Sets the handle of the environment's run. */
  enter(run: Run): void {
    this.#run = run
  }

  async say(kind: 'steer' | 'followUp', text: string): Promise<void> {
    // A stopped process has not sent its message yet, because it waits before it reaches the store.
    const underWay = this.#state.saying.filter(({ by }) => by.isDead)
    await Promise.allSettled(underWay.map(({ said }) => said))
    this.#mortal.check()
    if (this.#log.said.some((said) => said.text === text)) return
    const said = kind === 'steer' ? this.run.steer(text) : this.run.followUp(text)
    this.#state.saying.push({ by: this.#mortal, said })
    await said
  }

  async perform({ toolName, callId, idempotencyKey }: ToolContext, result: string): Promise<string> {
    this.#mortal.check()
    const effect: PerformedEffect = { toolName, callId, idempotencyKey, result }
    if (this.#interleaver.effectAt === 'start') this.#state.effects.push(effect)
    await this.#interleaver.pass(callId)
    this.#mortal.check()
    if (this.#interleaver.effectAt === 'end') this.#state.effects.push(effect)
    return result
  }

  keep(key: string, result: string): void {
    this.#mortal.check()
    const kept: PerformedEffect = { toolName: keepName, callId: key, idempotencyKey: `${key} ${result}`, result }
    if (this.#state.effects.some(({ idempotencyKey }) => idempotencyKey === kept.idempotencyKey)) return
    this.#state.effects.push(kept)
  }

  resultOf(callId: string): string | undefined {
    // The call of a sub-agent is named by its address.
    const own = callId.slice(callId.lastIndexOf('/') + 1)
    return this.#state.effects.find((effect) => effect.callId === own)?.result
  }
}

/** A clock that only moves when `advance` is called. */
export class ManualClock implements Clock {
  #now = startedAt
  readonly #sleepers = new Set<() => void>()

  now(): number {
    return this.#now
  }

  /** Advances the time by milliseconds and wakes the sleepers that are due. */
  advance(ms: number): void {
    this.#now += ms
    for (const wake of this.#sleepers) wake()
  }

  sleepUntil(due: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        if (this.#now < due && !signal.aborted) return
        this.#sleepers.delete(wake)
        resolve()
      }
      this.#sleepers.add(wake)
      signal.addEventListener('abort', wake, { once: true })
      wake()
    })
  }
}
