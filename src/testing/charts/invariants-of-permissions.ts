import type { Happening } from './exploration-types.ts'
import { type CallFacts, callsOf, type Facts } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** Rules of permissions: a call that needs one never runs by itself, and the request is sent. */
export const invariantsOfPermissions: readonly Invariant[] = [
  {
    name: 'a grant is looked at before its call runs',
    rule: 'A call that was planned by a grant runs only once its gate has found that the grant still stands, or once a person has answered (PERM-04).',
    atHappening: ({ facts }, seen) => {
      const call = performed(facts, seen)
      const isGranted = call?.plan.verdict.kind === 'allowed' && call.plan.verdict.isGranted === true
      if (!isGranted || call.isReplay || call.verdict === 'allowed') return undefined
      return `${call.plan.callId} runs by a grant at which nobody has looked`
    },
  },
  {
    name: 'what is asked about runs only once it is approved',
    rule: 'A call that a rule or its tool asks about, with no grant that fits and no rule that allows, runs only by an answer, or where its gate finds by current code that nobody asks any more (PERM-05).',
    atHappening: ({ facts }, seen) => {
      const call = performed(facts, seen)
      if (call?.plan.verdict.kind !== 'suspended' || call.isReplay || call.verdict === 'allowed') return undefined
      return `${call.plan.callId} runs, and nobody has approved it`
    },
  },
  {
    name: 'a blocked call never runs',
    rule: 'A call whose permission is to be asked for has failed and is never performed (PERM-03).',
    atHappening: ({ facts }, seen) => {
      const plan = performed(facts, seen)?.plan
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

function performed({ calls }: Facts, seen: Happening): CallFacts | undefined {
  return seen.kind === 'effect' && seen.effect.src === 'runTool' ? calls[seen.effect.owner] : undefined
}

function isBlocked(verdict: { readonly kind: string; readonly isRequested?: boolean }): boolean {
  return verdict.kind === 'refused' && verdict.isRequested === true
}
