import { type Phase, phaseRow } from '../../../machines/run/run.phases.ts'
import { ApplicationError } from '../domain/application-error.ts'
import { LostStore } from '../domain/store-error.ts'
import { freezeDeep } from '../domain/text/json.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import { inTime } from '../ports/clock.ts'
import type { EffectContext } from '../ports/effect-handler.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { AgentParts } from './agent-parts.ts'

/** The time limit of application code, and its clock. */
export type AskBounds = Pick<AgentParts, 'pluginTimeoutMs'> & Pick<EffectContext, 'clock' | 'signal'>

/** Makes a function that outside code received ineffective once its call has ended. */
export type WhileAsked = <Args extends readonly unknown[]>(act: (...args: Args) => void) => (...args: Args) => void

/**
 * The context of application code. The signal fires when its time is over, and when the run no longer needs an answer.
 */
export interface Asking<Shown> {
  /** Frozen at every depth. */
  readonly shown: Shown
  readonly signal: AbortSignal
  readonly whileAsked: WhileAsked
}

/**
 * Calls code of the application: plugins, permissions and rules of tools. The code has the time limit of a hook, and
 * the functions that it received do nothing after its end. If it throws, takes too long or returns an invalid value, an
 * `ApplicationError` is thrown whose message begins with `failed`, which names the code.
 */
export async function ask<Answer, Shown = undefined>(
  failed: string,
  bounds: AskBounds,
  code: (asking: Asking<Shown>) => Answer | Promise<Answer>,
  ...[shown]: Shown extends undefined ? [] : [shown: Shown]
): Promise<Answer> {
  let isOver = false
  const whileAsked: WhileAsked =
    (act) =>
    (...args) => {
      if (!isOver) act(...args)
    }
  try {
    return await inHookTime(bounds, async (signal) => code({ shown: freezeDeep(shown), signal, whileAsked }))
  } catch (cause) {
    if (cause instanceof LostStore) throw cause.cause
    throw new ApplicationError(`${failed}: ${thrownText(cause)}`, { cause })
  } finally {
    isOver = true
  }
}

/** Returns the plugins that listen to a phase, in their order. */
export function listening(plugins: readonly Plugin[], phase: Phase): readonly Plugin[] {
  return plugins.filter((plugin) => plugin[phase] !== undefined)
}

/** Asks one plugin at a phase. */
export function askPlugin<Answer, Shown = undefined>(
  { name }: Plugin,
  phase: Phase,
  bounds: AskBounds,
  code: (asking: Asking<Shown>) => Answer | Promise<Answer>,
  ...shown: Shown extends undefined ? [] : [shown: Shown]
): Promise<Answer> {
  return ask(failedAt(name, phase), bounds, code, ...shown)
}

/** Returns the text that a plugin failed at a phase. */
export function failedAt(plugin: string, phase: Phase): string {
  return `Plugin "${plugin}" failed in ${phase}`
}

/**
 * Asks the plugins at a phase, in order, whether to continue. After the first that stops, no further plugin is called.
 */
export async function askToGoOn(
  plugins: readonly Plugin[],
  phase: Phase,
  bounds: AskBounds,
  code: (plugin: Plugin, asking: Asking<undefined>) => unknown,
): Promise<boolean> {
  for (const plugin of listening(plugins, phase)) {
    const goesOn = await askPlugin(plugin, phase, bounds, async (asking) =>
      isGoingOn(phase, await code(plugin, asking)),
    )
    if (!goesOn) return false
  }
  return true
}

/** Returns true unless the answer is false at a phase that may stop something. */
function isGoingOn(phase: Phase, answer: unknown): boolean {
  const { rights = [] } = phaseRow(phase)
  if (answer === undefined || answer === true) return true
  if (answer === false && !rights.includes('terminate')) return !rights.includes('stop')
  if (answer === false) throw new TypeError('it answered false. Expected nothing; terminate() ends the run.')
  const given = answer === null ? 'null' : `a value of type ${typeof answer}`
  throw new TypeError(`it answered ${given}. Expected true, false or nothing.`)
}

/** Waits for an answer for the time limit of a hook. */
export function inHookTime<Answer>(
  bounds: AskBounds,
  answer: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const ms = bounds.pluginTimeoutMs
  return inTime(bounds, ms, answer, () => new Error(`it did not finish within ${ms} ms.`))
}
