import type { CallPlan } from '../../core/domain/call-plan.ts'
import type { RunOptions } from '../../../machines/run/run.types.ts'
import type { Configuration } from './exploration-types.ts'

const quiet: RunOptions = {
  executor: { batchSize: null, stopsOnSuspension: false },
  onPartialSuspension: 'continue',
  decisions: 'immediate',
  limits: [],
  repeatLimit: 0,
  stopsOnRepeat: false,
  maxRetries: 0,
  fallbacks: 0,
  queueModes: { steer: 'one', followUp: 'one' },
  onModelFailure: 'end',
  outputRetries: 3,
  watched: [],
}

/** Returns a call that a model turn asks for; `kind` is its verdict before any gate. */
export function call(
  callId: string,
  kind: 'allowed' | 'granted' | 'suspended' | 'refused' | 'requested' | 'skipped' = 'allowed',
  more: Partial<CallPlan> = {},
): CallPlan {
  const verdicts = {
    allowed: { kind: 'allowed' },
    granted: { kind: 'allowed', isGranted: true },
    suspended: { kind: 'suspended', suspension: { id: `${callId}/s1`, reason: 'approval' } },
    refused: { kind: 'refused', text: 'Blocked.' },
    requested: { kind: 'refused', text: 'Blocked.', isRequested: true },
    skipped: { kind: 'skipped', text: 'Outranked.' },
  } as const
  const base = { effects: 'once', resumeMode: 'replay', isExclusive: false, blocksRun: true, callHash: callId } as const
  return { callId, verdict: verdicts[kind], ...base, ...more }
}

/** Returns a small configuration; the defaults for missing parts have no plugins and no interference. */
export function configuration(
  name: string,
  parts: Partial<Omit<Configuration, 'options'>> & { options?: Partial<RunOptions> },
): Configuration {
  return {
    turns: [],
    outcomes: {},
    interference: {},
    reason: 'approval',
    maxSuspensions: 1,
    ...parts,
    name,
    options: { ...quiet, ...parts.options },
  }
}
