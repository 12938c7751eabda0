import { ApplicationError } from '../../domain/application-error.ts'
import type { CallRecord } from '../../domain/call.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Plugin } from '../../ports/plugin.ts'
import { askToGoOn, failedAt, inHookTime } from '../ask-code.ts'
import { phaseContext } from '../plugins/plugin-context.ts'

/** The maximum characters of waiting updates; beyond it, a new update replaces the last waiting one. */
const mostWaiting = 1_000_000
/** The size of an update without text. */
const emptyUpdate = 100

/** An update of a tool on its way to the listeners. */
export interface HookedUpdate {
  readonly text: string
  tell(): void
}

type UpdateHook = 'beforeUpdate' | 'afterUpdate'

/** The hooks of one performance's updates. */
export interface UpdateHooks {
  readonly plugins: readonly Plugin[]
  readonly pluginTimeoutMs: number
  readonly call: CallRecord
  readonly context: EffectContext
}

/** The updates of one attempt, each emitted in order between two phases. The tool waits for none of them. */
export class HookedUpdates {
  readonly #options: UpdateHooks
  #waiting: HookedUpdate[] = []
  #size = 0
  #passing: Promise<void> | undefined
  #failure: Error | undefined
  #asked: readonly [plugin: string, phase: UpdateHook] = ['', 'beforeUpdate']

  constructor(options: UpdateHooks) {
    this.#options = options
  }

  /** Adds an update; after a hook has failed, none is emitted. */
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

  /** Waits until all are emitted, at most as long as one hook may take; returns the error. */
  async end(): Promise<Error | undefined> {
    const passing = this.#passing
    if (passing === undefined) return this.#failure
    try {
      await inHookTime(this.#bounds, () => passing)
    } catch {
      const { pluginTimeoutMs, call } = this.#options
      const late = `updates still waited for it ${pluginTimeoutMs} ms after tool "${call.toolName}" had ended.`
      this.#fail(new ApplicationError(`${failedAt(...this.#asked)}: ${late}`))
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
    const { plugins, call, context } = this.#options
    const turn = Number.parseInt(call.callId, 10)
    return askToGoOn(plugins, hook, this.#bounds, (plugin, { signal }) => {
      this.#asked = [plugin.name, hook]
      return plugin[hook]?.({ ...phaseContext(turn, { ...context, signal }), call, text })
    })
  }

  get #bounds() {
    const { context, pluginTimeoutMs } = this.#options
    return { ...context, pluginTimeoutMs }
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
