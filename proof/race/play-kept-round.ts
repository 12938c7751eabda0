import { createAgent } from '../../src/core/agent/create-agent.ts'
import { isTerminal } from '../../src/core/domain/call.ts'
import type { DecisionAnswer } from '../../src/core/domain/decision.ts'
import { tool } from '../../src/core/ports/define-tool.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { injectingStore } from '../support/injecting-store.ts'
import { type Journal, resultOf } from '../support/journal.ts'
import { judgeRun } from '../support/judge-run.ts'
import type { RoundResult } from './play-round.ts'

/** Has one of two other processes decide call `1.a` of a run, and gives the answer to it. */
export type DecideElsewhere = (
  side: 0 | 1,
  what: 'say yes' | 'say no',
  runId: string,
) => Promise<DecisionAnswer | undefined>

/** As many moments as a run has in which another process may decide unseen, and a few more. */
const moments = 16

/**
 * One run whose call asks once its driver has taken in a decision that was kept for it. Another process decides otherwise between a read of the inbox
 * and the commit behind it, at another such moment in each round. A sibling that may run once is in flight meanwhile.
 */
export async function playKeptRound(
  elsewhere: DecideElsewhere,
  store: Store,
  journal: Journal,
  round: number,
): Promise<RoundResult> {
  const runId = `kept-${round}`
  const isNoFirst = round % (2 * moments) >= moments
  const answers: (DecisionAnswer | undefined)[] = []
  const isDecided = Promise.withResolvers<void>()
  const injected = injectingStore(store, {
    at: round % moments,
    act: async () => answers.push(await elsewhere(1, isNoFirst ? 'say yes' : 'say no', runId)),
    committed: ({ calls }) => {
      const isOver = calls.some(({ record }) => record.callId === '1.a' && isTerminal(record.status))
      if (isOver) isDecided.resolve()
    },
  })
  const execute = { description: 'Appends a line.', input: { type: 'object' } }
  const agent = createAgent({
    name: 'raced',
    store: injected.store,
    model: scripted([
      {
        toolCalls: [
          { id: 'a', name: 'ask', arguments: {} },
          { id: 'b', name: 'sibling', arguments: {} },
        ],
      },
      'Done.',
    ]),
    tools: [
      tool({
        ...execute,
        name: 'ask',
        effects: 'none',
        execute: async (_, context) => {
          if (context.decision === undefined) {
            await elsewhere(0, isNoFirst ? 'say no' : 'say yes', runId)
            while ((await store.inbox(runId, { isOpen: true })).length > 0)
              await new Promise((resolve) => setImmediate(resolve))
            return context.suspend()
          }
          journal.append(context)
          return resultOf(context)
        },
      }),
      tool({
        ...execute,
        name: 'sibling',
        execute: async (_, context) => {
          journal.append(context)
          await isDecided.promise
          return resultOf(context)
        },
      }),
    ],
  })
  const { outcome } = await agent.run('Go.', { runId })
  const { lost, doubled } = await judgeRun(store, journal, runId)
  const unknown = answers.filter((answer) => answer !== 'kept' && answer !== 'stale' && answer !== 'unknown')
  const wrong = [
    ...(outcome.reason === 'natural_end' ? [] : [`Run ${runId} ended by ${outcome.reason}.`]),
    ...unknown.map((answer) => `A decision of run ${runId} was answered ${answer ?? 'nothing'}.`),
  ]
  return { lost, doubled, wrong, refusedDrives: 0 }
}
