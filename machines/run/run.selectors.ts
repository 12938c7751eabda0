import type { RunMachine } from './run.machine.ts'
import type { RunContext } from './run.types.ts'

/**
 * The position of a run in a turn: `asked` from its start, `answered` from the answer to the emitted end; else
 * `outside`. The states of the chart have it as tags.
 */
export type TurnPart = 'outside' | 'asked' | 'answered'

/** The part of a turn that a state of the run's chart lies in. */
export function turnPartOf(machine: RunMachine, value: unknown, context: RunContext): TurnPart {
  const state = machine.resolveState({ value: value as never, context })
  if (state.hasTag('answered')) return 'answered'
  return state.hasTag('asked') ? 'asked' : 'outside'
}

/** The inbox rows of a run's queued messages. */
export function queuedRows({ queue }: Pick<RunContext, 'queue'>): readonly number[] {
  return queue.map(({ inboxId }) => inboxId)
}

/** Returns true if the transcript has the run's first messages, or never will. */
export function isInputTaken({ input }: Pick<RunContext, 'input'>): boolean {
  return input === 'taken'
}
