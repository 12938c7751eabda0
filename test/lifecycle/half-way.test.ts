import { expect, test } from 'vitest'
import type { Store, StoredRun } from '../../src/core/ports/store.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { runId, stop, testAgent } from '../../proof/support/test-agent.ts'

type Action = 'resume' | 'cancel'

/** A store whose documents say nothing of any suspension and call every decision one of that action. */
function forgetful(inner: Store, action: Action): Store {
  const lost = (document: string): string =>
    document
      .replaceAll(/"suspension":\{[^}]*\}/g, '"suspension":null')
      .replaceAll('"action":"resume"', `"action":"${action}"`)
  const lostOf = (document: string | null) => (document === null ? null : lost(document))
  const forgotten = ({ document, checkpoint, calls: rows, ...run }: StoredRun): StoredRun => {
    return {
      ...run,
      document: lostOf(document),
      checkpoint: checkpoint === null ? null : { ...checkpoint, document: lost(checkpoint.document) },
      calls: rows.map((row) => ({ ...row, document: lostOf(row.document) })),
    }
  }
  return {
    ...inner,
    claim: async (...given) => {
      const { run, ...claimed } = await inner.claim(...given)
      return { ...claimed, run: forgotten(run) }
    },
  }
}

test.for<{ readonly action: Action; readonly status: string }>([
  { action: 'resume', status: 'failed' },
  { action: 'cancel', status: 'cancelled' },
])(
  'TC-01 CKP-07 closes a replay restored without its suspension as $status, without running it',
  async ({ action, status }) => {
    const store = memoryStore()
    const { act, done } = toolbox()
    const asked = Promise.withResolvers<void>()
    const options = { replies: [calls(call('c1', 'act')), 'Bye'], tools: [act('act', { needs: 'approval' })] }
    const holding = {
      name: 'holding',
      gateCall: ({ decision }: { readonly decision?: unknown }) => {
        if (decision === undefined) return undefined
        asked.resolve()
        return new Promise<never>(() => {})
      },
    }
    const { agent, clock } = testAgent({ ...options, store, plugins: [holding] })
    const run = agent.start('Hi', { runId })
    await run.settled()
    await run.approve('1.c1')
    const driving = run.settled()
    await asked.promise
    await stop(run, driving)

    const plugins = [{ name: 'quick', gateCall: () => undefined }]
    const later = testAgent({ ...options, store: forgetful(store, action), clock, plugins, process: 'p2' })
    const result = await (await later.agent.load(runId)).settled()

    expect([result.status, result.text, done]).toEqual(['done', 'Bye', []])
    expect(await transcriptOf(store, runId)).toEqual([
      'user: Hi',
      'assistant: calls 1.c1 act',
      `1.c1 ${status}, result 1.c1 (error): [Tool execution was interrupted before producing a result.]`,
      'assistant: Bye',
    ])
  },
)
