import { callsOf } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** Nothing that was blocked for want of a permission runs, and somebody is asked for it. */
export const invariantsOfPermissions: readonly Invariant[] = [
  {
    name: 'a blocked call never runs',
    rule: 'A call whose permission is to be asked for has failed and is never performed (PERM-03).',
    atHappening: ({ facts }, seen) => {
      if (seen.kind !== 'effect' || seen.effect.src !== 'runTool') return undefined
      const plan = facts.calls[seen.effect.owner]?.plan
      return plan !== undefined && isBlocked(plan.verdict) ? `${plan.callId} is performed` : undefined
    },
  },
  {
    name: 'permissions are asked for before the model is',
    rule: 'The run asks for permissions of blocked calls and waits for the answer before its model is asked again (PERM-03).',
    atHappening: ({ facts }, seen) => {
      if (facts.wasTimeOver) return undefined
      const isModel = seen.kind === 'effect' && seen.effect.src === 'callModel'
      if (!isModel) return undefined
      if (facts.owesRequest) return 'nobody has asked for the permission of a blocked call'
      const open = callsOf(facts).find(([, call]) => call.isHold && call.status === 'suspended')
      return open === undefined ? undefined : `${open[0]} still waits`
    },
  },
]

function isBlocked(verdict: { readonly kind: string; readonly isRequested?: boolean }): boolean {
  return verdict.kind === 'refused' && verdict.isRequested === true
}
