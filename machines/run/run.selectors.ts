import type { RunMachine } from './run.machine.ts'
import type { RunContext } from './run.types.ts'

/**
 * The part of a turn that a run is in: `asked` from the start of the turn, `answered` from the answer until the end of
 * the turn is emitted, else `outside`. The states of the chart have these words as tags.
 */
export type TurnPart = 'outside' | 'asked' | 'answered'

/** Returns the part of a turn to which a state of the run's chart belongs. */
export function turnPartOf(machine: RunMachine, value: unknown, context: RunContext): TurnPart {
  const state = machine.resolveState({ value: value as never, context })
  if (state.hasTag('answered')) return 'answered'
  return state.hasTag('asked') ? 'asked' : 'outside'
}

/** Returns the inbox rows of a run's queued messages. */
export function queuedRows({ queue }: Pick<RunContext, 'queue'>): readonly number[] {
  return queue.map(({ inboxId }) => inboxId)
}

/** Returns true if the transcript has the run's first messages, or will never have them. */
export function isInputTaken({ input }: Pick<RunContext, 'input'>): boolean {
  return input === 'taken'
}
