import { thrownText } from '../domain/thrown-text.ts'
import type { Hooks } from '../ports/hooks.ts'
import { type HookBounds, withinHookTime } from './call-hook.ts'

/** The name of a hook of the user's. */
export type HookName = keyof Hooks

/**
 * Calls one hook of the user's; true where there is none. False is what it said, which only those named `before…` may
 * mean. One that throws, does not end in time or answers something else throws an error that names it.
 */
export async function callUserHook<Name extends HookName>(
  hooks: Hooks,
  name: Name,
  bounds: HookBounds,
  ...given: Parameters<NonNullable<Hooks[Name]>>
): Promise<boolean> {
  const hook: ((...args: never) => unknown) | undefined = hooks[name]
  if (hook === undefined) return true
  try {
    return goesOn(await withinHookTime(bounds, async () => hook.apply(hooks, given as never)))
  } catch (cause) {
    throw new Error(`Hook "${name}" failed: ${thrownText(cause)}`, { cause })
  }
}

function goesOn(answer: unknown): boolean {
  if (answer === undefined || typeof answer === 'boolean') return answer ?? true
  const given = answer === null ? 'null' : `a value of type ${typeof answer}`
  throw new TypeError(`it answered ${given}. Expected true, false or nothing.`)
}
