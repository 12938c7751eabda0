import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { LogEntry } from '../../../src/core/domain/log.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { encodeCommit } from '../../../src/core/stores/rows/encode-commit.ts'
import { keepCommitted } from '../../../src/core/stores/rows/json-text.ts'
import type { Commit } from '../../../src/core/ports/store.ts'
import { driveWith } from '../../../proof/support/drive-with.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { toolbox } from '../../../proof/support/tools.ts'

type Checkpoint = Extract<LogEntry, { readonly kind: 'checkpoint' }>

/** The commits of a run of two turns, each with its checkpoint. */
async function committed(): Promise<readonly { readonly commit: Commit; readonly checkpoint: Checkpoint }[]> {
  const store = memoryStore()
  const made: { readonly commit: Commit; readonly checkpoint: Checkpoint }[] = []
  const commit = (one: Commit) => {
    for (const entry of one.append) if (entry.kind === 'checkpoint') made.push({ commit: one, checkpoint: entry })
    return store.commit(one)
  }
  const replies = [calls(call('c1', 'act')), 'Done']
  await driveWith({ store: { ...store, commit }, handlers: {}, replies, tools: [toolbox().act('act')] })
  expect(made.length).toBeGreaterThan(3)
  return made
}

test('CKP-03 stores a checkpoint and its row in memory by their fields, not as a table', async () => {
  setFlagsFromString('--allow-natives-syntax')
  const isByFields = runInThisContext('(value) => %HasFastProperties(value)') as (value: object) => boolean
  for (const { commit, checkpoint } of await committed()) {
    const rows = encodeCommit(commit, { keep: keepCommitted, files: [] }).rows.filter(
      ({ kind }) => kind === 'checkpoint',
    )
    expect([checkpoint, ...rows].map(isByFields)).toEqual([true, true])
  }
})

test("CKP-03 CKP-06 a checkpoint's copy has its document, which stays the same on every read", async () => {
  for (const { checkpoint } of await committed()) {
    const { document } = checkpoint
    expect(JSON.parse(document)).toMatchObject({ schema: 1, root: {} })
    expect(JSON.stringify(checkpoint.document)).toBe(JSON.stringify(document))
    expect({ ...checkpoint }).toEqual({
      kind: 'checkpoint',
      seq: checkpoint.seq,
      names: checkpoint.names,
      at: checkpoint.at,
      document,
    })
    expect(structuredClone(checkpoint)).toEqual({ ...checkpoint })
  }
})
