import type { RunEvent } from '../run.types.ts'

type Failed = Extract<RunEvent, { type: 'run.failed' }>

/** A turn that was told of ends with the run that fails in it. */
export const failsTurn = {
  target: '#run.running.closing',
  actions: [
    { type: 'failRun', params: ({ event }: { readonly event: Failed }) => ({ error: event.error }) },
    'announceTurnEnd',
  ],
} as const

/** A turn that was told of ends with the run that is cancelled in it; the note says what was going on. */
export function cancelsTurn(note: string | null) {
  return {
    target: '#run.running.closing',
    actions: [{ type: 'cancelRun', params: { note } }, 'announceTurnEnd'],
  } as const
}
