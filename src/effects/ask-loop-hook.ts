import type { LoopHook, Phase, PhaseVerdict, RunPhaseInput } from '../../machines/run/run.types.ts'
import { noUsage, type Usage } from '../domain/usage.ts'
import type { EffectContext } from '../ports/effect-handler.ts'
import type { Hooks } from '../ports/hooks.ts'
import type { HookBounds } from './call-hook.ts'
import { callUserHook } from './call-user-hook.ts'

/** The hooks that stand at a phase of their own. */
export const loopHooks: readonly LoopHook[] = ['beforeLoop', 'beforeTurn', 'afterTurn', 'afterLoop', 'onError']

/** Whether the user's hook stands at this phase, and not the plugins. */
export function isLoopHook(phase: Phase): phase is LoopHook {
  return loopHooks.some((hook) => hook === phase)
}

/** The code a run stops with where one of these hooks says no. */
const stopCodes: { readonly [hook in LoopHook]?: string } = { beforeLoop: 'before_loop', beforeTurn: 'before_turn' }

/** How many runs of its session came before a run: none, where a run has a session of its own. */
const indexInSession = 0

/** Calls the user's hook that stands at this phase of the loop; the phase's end is where it says no. */
export async function askLoopHook(
  hooks: Hooks,
  hook: LoopHook,
  input: RunPhaseInput,
  context: EffectContext & HookBounds,
): Promise<Pick<PhaseVerdict, 'terminate'>> {
  const code = (await goesOn(hooks, hook, input, context)) ? undefined : stopCodes[hook]
  return code === undefined ? {} : { terminate: { code } }
}

function goesOn(
  hooks: Hooks,
  hook: LoopHook,
  { turn, isUnanswered, usage = noUsage, error = unknownError }: RunPhaseInput,
  context: EffectContext & HookBounds,
): Promise<boolean> {
  const messages = context.view.messages()
  switch (hook) {
    case 'beforeLoop':
      return callUserHook(hooks, hook, context, messages, indexInSession)
    case 'beforeTurn':
      return callUserHook(hooks, hook, context, messages, turn)
    case 'afterTurn':
      return callUserHook(hooks, hook, context, messages, usageOfTurn(isUnanswered, context))
    case 'afterLoop':
      return callUserHook(hooks, hook, context, messages, usage)
    case 'onError':
      return callUserHook(hooks, hook, context, error)
  }
}

/** Of a turn without an answer nothing was used: the last answer is one of a turn before. */
function usageOfTurn(isUnanswered: boolean | undefined, { view }: EffectContext): Usage {
  return isUnanswered === true ? noUsage : (view.lastAnswer()?.usage ?? noUsage)
}

const unknownError = { code: 'engine_error', message: 'The run ended in an error that is not known.' }
