import { topLevelState } from '../../core/runtime/persist.ts'
import type { Stepper } from '../../core/runtime/stepper.ts'
import type { AskedEffect } from '../../core/step/step-system.ts'
import type { OpenEffect, Standing } from './exploration-types.ts'

/** Returns the state of a live run. */
export function standingOf(stepper: Stepper): Standing {
  const root = stepper.persisted()
  const calls = Object.entries(root.children ?? {}).filter(([, child]) => child.src === 'toolCall')
  return {
    value: root.value,
    top: topLevelState(root.value),
    calls: Object.fromEntries(calls.map(([id, child]) => [id, child.snapshot.value])),
    effects: [...stepper.outbox.values()].map(openEffect),
    text: JSON.stringify(root),
    ...(stepper.failure === undefined ? {} : { failure: stepper.failure }),
  }
}

/** Returns an effect with the name of the actor that invoked it. */
export function openEffect({ key, src, input, path }: AskedEffect): OpenEffect {
  return { key, src: askedBy(src, input), input, owner: path.at(-2) ?? 'run' }
}

const ownNames = ['filterInput', 'recall', 'buildContext', 'gateCall', 'reviewCall']

/** Names an effect for the explorer: a phase with its own kinds of verdict is named after the phase. */
function askedBy(src: string, input: unknown): string {
  const { phase = '' } = (src === 'ask' ? input : {}) as { readonly phase?: string }
  return ownNames.includes(phase) ? phase : src
}
