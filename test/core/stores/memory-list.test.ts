import { expect, test } from 'vitest'
import type { MemoryRun } from '../../../src/core/stores/memory/commit.ts'
import { listRuns } from '../../../src/core/stores/memory/list.ts'

function runOf(id: string, createdAt: number, status = 'waiting'): MemoryRun {
  const row = {
    id,
    agent: 'a',
    agentVersion: null,
    input: '{}',
    status,
    reason: null,
    code: null,
    error: null,
    createdAt,
    updatedAt: createdAt,
    version: 0,
    document: null,
    forkedRun: null,
    forkedVersion: null,
    continuedRun: null,
    firstSeq: 1,
    session: null,
    subject: null,
    labels: null,
    prompt: null,
  }
  const lease = { fence: 1, owner: null, host: null, pid: null, pidStart: null, expires: 0 }
  return { number: createdAt, row, lease, log: { first: 1, rows: [], callsFrom: 1 }, inbox: [], timers: [] }
}

test.each([{}, { updatedBefore: 9 }, { before: '4_4' }])(
  'CKP-06 memory: lists one damaged run as damaged, and the others unchanged (%j)',
  (filter) => {
    const listed = listRuns([runOf('old', 1), runOf('torn', 2, 'torn'), runOf('new', 3)], filter)
    expect(listed).toEqual([
      expect.objectContaining({ id: 'new', status: 'waiting' }),
      { id: 'torn', damaged: expect.stringContaining('torn'), cursor: '2_2' },
      expect.objectContaining({ id: 'old', status: 'waiting' }),
    ])
  },
)
