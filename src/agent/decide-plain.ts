import { checkDecision } from '../domain/check-decision.ts'
import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import { UsageError } from '../domain/usage-error.ts'
import { judgeDecisions } from '../domain/judge-decisions.ts'
import type { AgentCore } from './agent-core.ts'
import type { PlainRun } from './plain-run.ts'
import { storeFittingDecisions } from './store-decisions.ts'

/** Judges decisions for a bare actor as a store does for a run, and hands those that count to its chart. */
export async function decidePlain(
  run: PlainRun | undefined,
  decisions: readonly Decision[],
  { parts, clock }: Pick<AgentCore, 'parts' | 'clock'>,
): Promise<readonly DecisionReceipt[]> {
  if (run === undefined) {
    const wish = 'Make it with createActor(agent.machine) or createActor(agent.provide({ … })).'
    throw new UsageError('bad_actor', `This is no actor of this agent's machine. ${wish}`)
  }
  if (run.root.getSnapshot().status === 'stopped') {
    throw new UsageError(
      'bad_actor',
      'This actor was stopped. Restore one from its snapshot and its log, and decide there.',
    )
  }
  if (!Array.isArray(decisions)) {
    throw new UsageError('bad_decision', 'Decisions are a list: agent.decide(actor, [{ target, action, … }]).')
  }
  return storeFittingDecisions({ parts, clock, store: storeOf(run) }, 'plain', decisions)
}

/** What a store knows of a run, read from the memory of an actor. */
function storeOf(run: PlainRun): Parameters<typeof storeFittingDecisions>[0]['store'] {
  const calls = () => run.log.calls()
  return {
    calls: async () => calls().map((record) => ({ record, document: '', version: 0 })),
    decisions: async () =>
      run.decisions.map((decision, index) => ({
        id: index + 1,
        item: { kind: 'decision', decision },
        at: decision.at,
      })),
    decide: async (_runId, given, now) => {
      const facts = { calls: calls(), decisions: run.decisions, now }
      const { receipts, rows } = judgeDecisions(given.map(checkDecision), facts)
      if (rows.length > 0) run.decide(rows)
      return receipts
    },
  }
}
