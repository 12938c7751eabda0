import type { Write } from '../../src/core/domain/log.ts'
import type { Message } from '../../src/core/domain/message.ts'
import type { Outcome, RunError } from '../../src/core/domain/outcome.ts'
import { branchesOf, mustWait } from './branches.calls.ts'
import type {
  BranchesAnnouncement,
  BranchesArgs,
  BranchesContext,
  BranchesEvent,
  BranchesPatch,
} from './branches.types.ts'

const failedMessage = 'No branch may win.'

/** Returns the outcome of a group, or its wait; null while neither is certain. */
export function outcomeOf(context: BranchesContext): Outcome | null {
  return context.ending ?? (mustWait({ context }) ? { reason: 'suspended' } : null)
}

/** Cancels the group with the given reason. An earlier error stays. */
export function cancelGroup({ context, event }: BranchesArgs & { readonly event: BranchesEvent }): BranchesPatch {
  const why = event.type === 'run.cancelRequested' ? event.why : undefined
  const error = why === undefined ? {} : { error: { code: 'run_cancelled', message: why } }
  return { ending: context.ending ?? { reason: 'cancelled', ...error } }
}

/** Ends the group in an error. */
export function failGroup(_: unknown, { error }: { readonly error: RunError }): BranchesPatch {
  return { ending: { reason: 'error', error } }
}

/** Ends the group in an error because no branch may win. */
export function failWithoutCandidate(): BranchesPatch {
  return {
    ending: { reason: 'error', code: 'branches_failed', error: { code: 'branches_failed', message: failedMessage } },
  }
}

/** Ends a group with a winner naturally. */
export function conclude(): BranchesPatch {
  return { ending: { reason: 'natural_end' } }
}

/** The writes of each `record…` action of the chart. */
export const branchesRecords = {
  recordBranches: ({ context }: BranchesArgs): readonly Write[] => {
    const runIds = branchesOf(context).map(({ runId }) => runId)
    const calls = branchesOf(context).map(({ callId }): Write => {
      const head = { callId, toolCallId: callId, toolName: 'branch', revision: 0, resumeMode: 'replay' } as const
      return { kind: 'reserve', call: { ...head, isBranch: true } }
    })
    // The entry before the first slot.
    return [{ kind: 'value', name: 'branches', value: runIds }, ...calls]
  },
  recordSelection: ({ context: { selection } }: BranchesArgs): readonly Write[] =>
    selection === null
      ? []
      : [{ kind: 'value', name: 'selection', value: { ...selection, usage: { ...selection.usage } } }],
  recordUndelivered: ({ context: { queue } }: BranchesArgs): readonly Write[] =>
    queue.length === 0 ? [] : [{ kind: 'undelivered', said: queue }],
  recordPosted: (_: unknown, { message }: { readonly message: Message }): readonly Write[] => [
    { kind: 'append', message },
  ],
}

/** The announcement of each `announce…` action of the chart. */
export const branchesAnnouncements = {
  announceStart: (): BranchesAnnouncement => ({ type: 'run.started' }),
  announceBranches: (): BranchesAnnouncement => ({ type: 'branches.started' }),
  announceWait: (): BranchesAnnouncement => ({ type: 'run.waiting' }),
  announceResume: (): BranchesAnnouncement => ({ type: 'run.resumed' }),
  announceSelection: (): BranchesAnnouncement => ({ type: 'branches.ended' }),
  announceEnd: (): BranchesAnnouncement => ({ type: 'run.ended' }),
}
