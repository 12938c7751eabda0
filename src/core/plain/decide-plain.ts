import { checkDecision } from '../domain/check-decision.ts'
import type { Decision } from '../domain/decision.ts'
import { judgeDecisions } from '../domain/judge-decisions.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { Store } from '../ports/store.ts'
import type { PlainRun } from './plain-run.ts'

/** Returns the part of a store that judges decisions, from an actor's memory; accepted ones go to its chart. */
export function plainStore(run: PlainRun | undefined): Pick<Store, 'calls' | 'inbox' | 'decide'> {
  const open = openPlainRun(run, 'write')
  const calls = () => open.log.calls()
  return {
    calls: async () => calls().map((record) => ({ record, document: '', version: 0 })),
    // The chart processes everything at once: no row is open, and no cancel is stored.
    inbox: async (_runId, { isOpen = false } = {}) =>
      (isOpen ? [] : open.decisions).map((decision, index) => ({
        id: index + 1,
        item: { kind: 'decision', decision },
        at: decision.at,
      })),
    decide: async (_runId, given, now) => {
      const facts = { calls: calls(), decisions: open.decisions, cancelled: [], now }
      const { receipts, rows } = judgeDecisions(given.map(checkDecision), facts)
      if (rows.length > 0) open.decide(rows)
      return receipts
    },
  }
}

/** Returns the run of an actor; throws a `UsageError` for another machine's, and for a change of a stopped one. */
export function openPlainRun(run: PlainRun | undefined, use: 'read' | 'write'): PlainRun {
  if (run === undefined) {
    const wish = 'Make it with createActor(agent.machine) or createActor(agent.provide({ … })).'
    throw new UsageError('bad_actor', `This is not an actor of this agent's machine. ${wish}`)
  }
  if (use === 'write' && run.root.getSnapshot().status === 'stopped') {
    throw new UsageError(
      'bad_actor',
      'This actor was stopped. Restore one from its snapshot and its log, and decide there.',
    )
  }
  return run
}

/** Returns the decisions for a bare actor; throws a `UsageError` for a value that is not a list. */
export function plainItems(decisions: readonly Decision[]): readonly Decision[] {
  if (Array.isArray(decisions)) return decisions
  throw new UsageError('bad_decision', 'Decisions are a list: agent.decide(actor, [{ target, action, … }]).')
}
