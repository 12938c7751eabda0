import type { LoopHook, Phase, PhaseVerdict, RunPhaseInput } from '../../../../machines/run/run.types.ts'
import type { StopCode } from '../../domain/end-codes.ts'
import type { Message } from '../../domain/message.ts'
import { noUsage, type Usage } from '../../domain/usage.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Hooks } from '../../ports/hooks.ts'
import { type AskBounds, askHook } from '../ask.ts'

/** What is known where a hook of the loop is asked. */
interface Known extends RunPhaseInput {
  readonly messages: readonly Message[]
  readonly lastUsage: Usage | undefined
  /** How many runs of its session came before this one. */
  readonly index: number
}

/** A hook of the loop: what it is told, and the code the run stops with where it says no. */
interface Row<Name extends LoopHook> {
  readonly told: (known: Known) => Parameters<NonNullable<Hooks[Name]>>
  readonly stops?: StopCode
}

const rows: { readonly [Name in LoopHook]: Row<Name> } = {
  beforeRun: { told: ({ messages, index }) => [messages, index], stops: 'before_loop' },
  beforeTurn: { told: ({ messages, turn }) => [messages, turn], stops: 'before_turn' },
  // Of a turn without an answer nothing was used: the last answer is one of a turn before.
  afterTurn: { told: ({ messages, isUnanswered, lastUsage }) => [messages, (!isUnanswered && lastUsage) || noUsage] },
  afterRun: { told: ({ messages, usage = noUsage }) => [messages, usage] },
  onError: { told: ({ error = unknownError }) => [error] },
}

const unknownError = { code: 'engine_error', message: 'The run ended in an error that is not known.' }

/** The hooks that stand at a phase of their own. */
export const loopHooks = Object.keys(rows) as readonly LoopHook[]

/** Whether the user's hook stands at this phase, and not the plugins. */
export function isLoopHook(phase: Phase): phase is LoopHook {
  return Object.hasOwn(rows, phase)
}

/** Asks the user's hook that stands at this phase of the loop; the phase's end is where it says no. */
export async function askLoopHook<
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- It ties the hook to what its row tells it.
  Name extends LoopHook,
>(
  hooks: Hooks,
  name: Name,
  input: RunPhaseInput,
  context: EffectContext & AskBounds,
): Promise<Pick<PhaseVerdict, 'terminate'>> {
  const { view, run } = context
  const { told, stops } = rows[name]
  const index = run.session?.index ?? 0
  const given = told({ ...input, messages: view.messages(), lastUsage: view.lastAnswer()?.usage, index })
  const goesOn = await askHook(hooks, name, context, ...given)
  return goesOn || stops === undefined ? {} : { terminate: { code: stops } }
}
