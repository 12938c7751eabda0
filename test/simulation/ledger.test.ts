import { expect, test } from 'vitest'
import type { Commit } from '../../src/core/ports/store.ts'
import { Ledger } from '../../src/testing/simulation/ledger.ts'

const owner = { id: 'o', host: 'h', pid: 1, pidStart: '' }
const steer = (id: number) => ({ id, at: 0, consumed: null, item: { kind: 'steer' as const, messages: [] } })

test.each([
  ['in the next commit', [[1, 2]], undefined],
  ['in no commit, because its driver stops', [[2]], undefined],
  ['in neither of two commits', [[2], []], 'no message is passed over'],
])('TST-08 judges a row that its driver has read and takes in %s', (_, commits, invariant) => {
  const ledger = new Ledger(
    () => {},
    () => 0,
  )
  ledger.created('worker 1', { id: 'run', agent: 'a', input: {}, at: 0 }, { runId: 'run', owner, fence: 1 }, undefined)
  ledger.read('worker 1', 'run', [steer(1)])
  ledger.read('worker 2', 'run', [steer(3)])
  ledger.read('worker 1', 'run', [steer(2)])
  for (const [version, rows] of commits.entries()) {
    const commit: Commit = {
      ...{ runId: 'run', owner: 'o', fence: 1, expectedVersion: version, at: 0, status: 'running' },
      ...{ append: [], calls: [], document: '{}', consumed: rows.map((id) => ({ id })) },
    }
    ledger.committed('worker 1', commit, { version: version + 1 })
  }
  expect(ledger.problem?.invariant).toBe(invariant)
})

test('TST-08 does not count rows as read by a driver if an earlier driver in its process, which has lost the run, reads them', () => {
  const ledger = new Ledger(
    () => {},
    () => 0,
  )
  ledger.created('worker 1', { id: 'run', agent: 'a', input: {}, at: 0 }, { runId: 'run', owner, fence: 1 }, undefined)
  ledger.claimed('worker 1', { runId: 'run', owner, fence: 2 })
  ledger.read('worker 1', 'run', [steer(1)])
  expect(ledger.runs.get('run')?.read).toEqual(new Map())
})
