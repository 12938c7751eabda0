import { describe, expect, test } from 'vitest'
import type { Agent, RunResult } from '../../src/index.ts'
import { readDurablePath } from '../../src/ports.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { heldReply, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'

/** One way a run stops, and what is kept of it. */
interface Ending {
  readonly reason: string
  readonly options: () => TestAgentOptions
  /** Default: the run is left to itself. */
  readonly play?: (agent: Agent) => Promise<RunResult>
  readonly outcome: object
  readonly status?: 'waiting' | 'done'
}

const { act } = toolbox()
const asking = calls(call('c1', 'act'))

const endings: readonly Ending[] = [
  { reason: 'natural_end', options: () => ({ replies: ['Bye'] }), outcome: { reason: 'natural_end' } },
  {
    reason: 'plugin_requested',
    options: () => ({ replies: ['Bye'], plugins: [{ name: 'ends', stepStart: ({ terminate }) => terminate() }] }),
    outcome: { reason: 'plugin_requested' },
  },
  {
    reason: 'stopped',
    options: () => ({ replies: [asking, 'Bye'], tools: [act()], limits: { maxTurns: 1 } }),
    outcome: { reason: 'stopped', code: 'max_turns' },
  },
  {
    reason: 'cancelled',
    options: () => ({ replies: [heldReply().reply] }),
    play: async (agent) => {
      const run = agent.start('Hi', { runId })
      const end = run.settled()
      await run.cancel()
      return await end
    },
    outcome: { reason: 'cancelled' },
  },
  {
    reason: 'suspended',
    options: () => ({ replies: [asking, 'Bye'], tools: [act('act', { needs: 'approval' })] }),
    outcome: { reason: 'suspended' },
    status: 'waiting',
  },
  {
    reason: 'error',
    options: () => ({ replies: [{ error: { kind: 'api', message: 'no such model' } }] }),
    outcome: { reason: 'error', error: { code: 'api_error', message: 'no such model' } },
  },
]

const stores: readonly (readonly [string, () => Store])[] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(':memory:')],
]

describe.each(stores)('kept by %s', (_name, open) => {
  test.for(endings)(
    'RUN-05 CKP-02 emits $reason, and stores it in the record and in __run',
    async ({ options, play, outcome, status = 'done' }) => {
      const store = open()
      const { agent, clock } = testAgent({ ...options(), store })
      clock.advance(5)
      const result = await (play ?? ((one: Agent) => one.run('Hi', { runId })))(agent)
      expect([result.status, result.outcome]).toEqual([status, outcome])

      const { reason, ...rest } = { reason: '', ...outcome }
      const record = await store.record(runId)
      expect(record).toEqual({
        ...{ id: runId, agent: 'test', status, doneReason: reason, ...rest },
        ...{ createdAt: start + 5, updatedAt: start + 5, version: record.version },
        ...{ subject: runId, prompt: expect.any(String), isDriven: false },
      })
      expect(await readDurablePath(store, runId, '__run')).toMatchObject({
        id: runId,
        status,
        done_reason: reason,
        updated_at: start + 5,
      })
      await store.close()
    },
  )
})

test('RUN-05 the table has all six reasons', () => {
  expect(endings.map(({ reason }) => reason).toSorted()).toEqual(
    ['natural_end', 'plugin_requested', 'stopped', 'cancelled', 'suspended', 'error'].toSorted(),
  )
})
