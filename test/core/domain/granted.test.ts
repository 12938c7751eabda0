import { expect, test } from 'vitest'
import type { NewAuditEntry } from '../../../src/core/domain/audit-entry.ts'
import type { Grant } from '../../../src/core/domain/grant.ts'
import { auditKind, grantKind, takeBackGrant, standingGrant, useGrant } from '../../../src/core/domain/granted.ts'
import { FoundRecords, type FoundRow } from '../../../src/core/domain/records/found-records.ts'
import { put, type RecordChange } from '../../../src/core/domain/records/record-change.ts'

const call = { runId: 'run', callId: 'call-1', toolName: 'pay' }
const grant: Grant = {
  ...call,
  id: 'grant',
  agent: 'guide',
  grantee: 'user:ann',
  scope: 'once',
  says: 'allow',
  definition: 'shown',
  at: 1,
}
const entry: NewAuditEntry = { ...call, action: 'used', grantId: 'grant' }
const key = '["run","call-1"]'

function row(body: unknown, runStatus?: string): FoundRow {
  return { number: 1, key: 'grant', version: 1, ageMs: 0, body, runStatus }
}

/** The result of a change whose first read finds this body, and whose second read finds the other. */
function judged<Answer>(change: RecordChange<Answer>, ...bodies: readonly unknown[]) {
  const rows = change.reads.map((_, index) => (bodies[index] === undefined ? [] : [row(bodies[index])]))
  const { answer, writes } = change.judge(new FoundRecords(change.reads, rows))
  return { answer, writes: writes.map((write) => [write.table.name, write.put?.body]) }
}

const noted = ['audit', { ...entry, agent: 'guide', at: 9 }]
const usedUp = ['grant', { ...grant, usedBy: key }]
const kept: Grant = { ...grant, scope: 'always' }

test.for<[string, readonly unknown[], boolean, readonly unknown[]]>([
  ['is gone', [], false, []],
  ['is of scope once', [grant], true, [usedUp, noted]],
  ['was used up by this call', [{ ...grant, usedBy: key }, entry], true, []],
  ['was used up by another call', [{ ...grant, usedBy: '["run","call-2"]' }], false, []],
  ['lasts', [kept], true, [noted]],
  ['lasts and was used by this call', [kept, entry], true, []],
])('PERM-05 a call that uses a grant which %s', ([, bodies, answer, writes]) => {
  expect(judged(useGrant('grant', entry, 9), ...bodies)).toEqual({ answer, writes })
})

test.for<[string, unknown, { readonly agents?: readonly string[] }, Grant | undefined]>([
  ['stands', grant, { agents: ['guide'] }, grant],
  ['is of another agent', grant, { agents: ['clerk'] }, undefined],
  ['is used up', { ...grant, usedBy: key }, {}, undefined],
  ['counts for a run that is gone', { ...grant, grantee: 'run:run' }, {}, undefined],
])('PERM-05 revokes a grant which %s', ([, body, revoking, answer]) => {
  const entryOf = { ...call, action: 'revoked', scope: 'once', grantId: 'grant', agent: 'guide', at: 9 }
  const writes =
    answer === undefined
      ? []
      : [
          ['grant', undefined],
          ['audit', entryOf],
        ]
  expect(judged(takeBackGrant('grant', { ...revoking, at: 9 }), body)).toEqual({ answer, writes })
})

test("PERM-05 a run's own grant is valid until the run is done", () => {
  const ofRun: Grant = { ...grant, grantee: 'run:run' }
  const standing = (status?: string) => standingGrant({ ...row(ofRun, status), body: ofRun })
  expect([standing('running'), standing('waiting'), standing('done'), standing()]).toEqual([
    ofRun,
    ofRun,
    undefined,
    undefined,
  ])
})

test("PERM-05 deletes with a run its own grants, used-up grants, and the audit's arguments", () => {
  const { arguments: _, ...bare } = { ...entry, agent: 'guide', at: 1, arguments: { sum: 5 } }
  const fields = { agent: 'guide', run: 'run' }
  expect(
    [grant, { ...grant, grantee: 'run:run' }, { ...grant, usedBy: key }].map((one) =>
      grantKind.afterRun?.(one, undefined),
    ),
  ).toEqual(['keep', 'drop', 'drop'])
  expect(auditKind.afterRun?.({ ...bare, arguments: { sum: 5 } }, undefined)).toEqual({ body: bare, fields })
  expect(auditKind.afterRun?.(bare, undefined)).toBe('keep')
  expect(put(grantKind, 'grant', grant).put?.fields).toEqual({
    ...fields,
    tool: 'pay',
    grantee: 'user:ann',
  })
})
