import { ApplicationError } from '../domain/application-error.ts'
import { freezeDeep } from '../domain/text/json.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import type { EffectContext } from '../ports/effect-handler.ts'
import type { Hooks } from '../ports/hooks.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { AgentParts } from './agent-parts.ts'

/** How long what is asked may take, and by which clock. */
export type AskBounds = Pick<AgentParts, 'hookTimeoutMs'> & Pick<EffectContext, 'clock' | 'signal'>

/** Makes a function that outside code is given deaf once its asking has ended. */
export type Heard = <Args extends readonly unknown[]>(act: (...args: Args) => void) => (...args: Args) => void

/** What an asking hands on; the signal fires when its time is over, and when the run no longer wants an answer. */
export interface Asking<Shown> {
  /** Frozen at every depth. */
  readonly shown: Shown
  readonly signal: AbortSignal
  readonly heard: Heard
}

/**
 * The one way code of the application is asked: plugins, hooks, filters, builders and rules of tools. It has as long as a
 * hook may take, and what it was given is deaf once it has ended. Where it throws, is late or answers what cannot be read,
 * it throws an `ApplicationError` that begins with `failed`, which names the code.
 */
export async function ask<Answer, Shown = undefined>(
  failed: string,
  bounds: AskBounds,
  code: (asking: Asking<Shown>) => Answer | Promise<Answer>,
  ...[shown]: Shown extends undefined ? [] : [shown: Shown]
): Promise<Answer> {
  let isOver = false
  const heard: Heard =
    (act) =>
    (...args) => {
      if (!isOver) act(...args)
    }
  try {
    return await inTime(bounds, async (signal) => code({ shown: freezeDeep(shown), signal, heard }))
  } catch (cause) {
    throw new ApplicationError(`${failed}: ${thrownText(cause)}`, { cause })
  } finally {
    isOver = true
  }
}

/** Asks a plugin at one of its phases. */
export function askPlugin<Answer>(
  { name }: Plugin,
  phase: keyof Plugin,
  bounds: AskBounds,
  code: (asking: Asking<undefined>) => Answer | Promise<Answer>,
): Promise<Answer> {
  return ask(`Plugin "${name}" failed in ${phase}`, bounds, code)
}

/** Asks a hook of the user's; true where there is none. False is what it said, which only those named `before…` may mean. */
export async function askHook<Name extends keyof Hooks>(
  hooks: Hooks,
  name: Name,
  bounds: AskBounds,
  ...given: Parameters<NonNullable<Hooks[Name]>>
): Promise<boolean> {
  const hook: ((...args: never) => unknown) | undefined = hooks[name]
  if (hook === undefined) return true
  return ask(`Hook "${name}" failed`, bounds, async () => yesOrNo(await hook.apply(hooks, given as never)))
}

function yesOrNo(answer: unknown): boolean {
  if (answer === undefined || typeof answer === 'boolean') return answer ?? true
  const given = answer === null ? 'null' : `a value of type ${typeof answer}`
  throw new TypeError(`it answered ${given}. Expected true, false or nothing.`)
}

/** Waits for an answer as long as a hook may take; throws, and fires its signal, where it does not come in time. */
export async function inTime<Answer>(
  { hookTimeoutMs, clock, signal }: AskBounds,
  answer: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  if (hookTimeoutMs === Infinity) return answer(signal)
  const done = new AbortController()
  const late = new AbortController()
  const due = clock.now() + hookTimeoutMs
  const tooLate = clock.sleepUntil(due, AbortSignal.any([signal, done.signal])).then((): never => {
    const error = new Error(`it did not end within ${hookTimeoutMs} ms.`)
    if (!done.signal.aborted) late.abort(error)
    throw error
  })
  try {
    return await Promise.race([answer(AbortSignal.any([signal, late.signal])), tooLate])
  } finally {
    done.abort()
  }
}
