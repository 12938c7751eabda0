import type { Clock } from '../../core/ports/clock.ts'
import type { Ids } from '../../core/ports/ids.ts'
import type { Run } from '../../core/agent/run.ts'
import type { ToolContext } from '../../core/ports/tool.ts'
import type { CommittedLog } from './committed-log.ts'
import type { MortalProcess } from './mortal-process.ts'
import type { Interleaver } from './interleaving.ts'

const startedAt = 1_700_000_000_000

/** What stands in the place of a tool's name where something was kept outside. */
export const keepName = '(keep)'

/** One thing a tool did to the outside. */
export interface PerformedEffect {
  readonly toolName: string
  readonly callId: string
  readonly idempotencyKey: string
  readonly result: string
}

/** What outlives every crash: the effects that happened, the time, and the ids given out. */
export interface EnvironmentState {
  readonly effects: PerformedEffect[]
  /** What was said, and by which process: of one that has died meanwhile it may still reach the store. */
  readonly saying: { readonly by: MortalProcess; readonly said: Promise<unknown> }[]
  readonly clock: ManualClock
  readonly ids: Ids
}

/** An environment in which nothing has happened yet. */
export function newEnvironmentState(): EnvironmentState {
  let count = 0
  return { effects: [], saying: [], clock: new ManualClock(), ids: { next: (prefix) => `${prefix}_${++count}` } }
}

/** The outside as one process reaches it; a dead process reaches it no more. */
export interface CrashEnvironment {
  readonly clock: ManualClock
  /** When the environment began, in Unix milliseconds. */
  readonly startedAt: number
  /** This process's handle of the run, for tools that send it something while they run; throws before it is started. */
  readonly run: Run
  /** Says something to the run once in a trial: what a process that died had said already is not said again. */
  say(kind: 'steer' | 'followUp', text: string): Promise<void>
  /** What tools call to act on the outside: the effect happens once its turn has come. */
  perform(context: ToolContext, result: string): Promise<string>
  /** The result of what a call did, where it did it. */
  resultOf(callId: string): string | undefined
  /** Keeps something outside under a key, as a memory does: what is kept again under its key is kept once. */
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

  /** Gives the environment the handle of its run. */
  enter(run: Run): void {
    this.#run = run
  }

  async say(kind: 'steer' | 'followUp', text: string): Promise<void> {
    // A stopped process has said nothing yet: it waits before it reaches the store.
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
    return this.#state.effects.find((effect) => effect.callId === callId)?.result
  }
}

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #now = startedAt
  readonly #sleepers = new Set<() => void>()

  now(): number {
    return this.#now
  }

  /** Moves time on by milliseconds and wakes whoever is due. */
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
