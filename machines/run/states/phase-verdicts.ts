import type { PhaseVerdict } from '../run.types.ts'

const verdict = ({ event }: { readonly event: { readonly output: PhaseVerdict } }) => ({ verdict: event.output })

/** What a phase or a hook of the loop has come to is taken in. */
export const takesPhase = { type: 'takePhase', params: verdict } as const

/** What phase runStart has come to is taken in. */
export const takesRunStart = { type: 'takeRunStart', params: verdict } as const

/** Whether a plugin, or a hook that says no, ends the run. */
export const endsRun = { type: 'terminates', params: verdict } as const
