import { ApplicationError } from '../../domain/application-error.ts'
import type { Hooks } from '../../ports/hooks.ts'
import { type AskBounds, askHook, inTime } from '../ask.ts'

/** Characters of updates that wait for the hooks of earlier ones; what comes on top replaces the last that waits. */
const mostWaiting = 1_000_000
/** What an update of no text counts for. */
const emptyUpdate = 100

/** An update of a tool on its way to whoever watches. */
export interface HookedUpdate {
  readonly text: string
  tell(): void
}

type UpdateHook = 'beforeUpdate' | 'afterUpdate'

/** Whom the updates of one performance go past. */
export interface UpdateHooks {
  readonly hooks: Hooks
  readonly bounds: AskBounds
  readonly toolName: string
  readonly callId: string
}

/** The updates of one performance, each told between the user's two hooks, in their order; the tool waits for none of them. */
export class HookedUpdates {
  readonly #options: UpdateHooks
  #waiting: HookedUpdate[] = []
  #size = 0
  #passing: Promise<void> | undefined
  #failure: Error | undefined
  #asked: UpdateHook = 'beforeUpdate'

  constructor(options: UpdateHooks) {
    this.#options = options
  }

  /** Takes an update in; after a hook has failed none is told. */
  take(update: HookedUpdate): void {
    if (this.#failure !== undefined) return
    const last = this.#waiting.at(-1)
    if (last !== undefined && this.#size + sizeOf(update) > mostWaiting) {
      this.#waiting.pop()
      this.#size -= sizeOf(last)
    }
    this.#waiting.push(update)
    this.#size += sizeOf(update)
    this.#passing ??= this.#passAll().finally(() => (this.#passing = undefined))
  }

  /** Waits until all are told, as long as one hook may take; gives what went wrong. */
  async end(): Promise<Error | undefined> {
    const passing = this.#passing
    if (passing === undefined) return this.#failure
    try {
      await inTime(this.#options.bounds, () => passing)
    } catch {
      const { bounds, toolName } = this.#options
      const late = `updates still waited for it ${bounds.hookTimeoutMs} ms after tool "${toolName}" had ended.`
      this.#fail(new ApplicationError(`Hook "${this.#asked}" failed: ${late}`))
    }
    return this.#failure
  }

  async #passAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#size -= sizeOf(next)
      await this.#pass(next)
    }
  }

  async #pass({ text, tell }: HookedUpdate): Promise<void> {
    try {
      if (!(await this.#ask('beforeUpdate', text)) || this.#failure !== undefined) return
      tell()
      await this.#ask('afterUpdate', text)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #ask(hook: UpdateHook, text: string): Promise<boolean> {
    const { hooks, bounds, toolName, callId } = this.#options
    this.#asked = hook
    return askHook(hooks, hook, bounds, toolName, callId, text)
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#waiting = []
    this.#size = 0
  }
}

function sizeOf({ text }: HookedUpdate): number {
  return text.length + emptyUpdate
}
