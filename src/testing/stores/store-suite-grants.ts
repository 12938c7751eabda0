import assert from 'node:assert/strict'
import type { AuditEntry, DecisionRecord, NewAuditEntry } from '../../core/domain/audit-entry.ts'
import type { Decision } from '../../core/domain/decision.ts'
import { granteeOfRun, type NewGrant } from '../../core/domain/grant.ts'
import { useGrant } from '../../core/domain/granted.ts'
import { revokeGrant, listAudit, listGrants } from '../../core/driving/list-grants.ts'
import type { Store } from '../../core/ports/store.ts'
import { consumeAll, type Driver, runWith, start, type StoreCase, suspendedCall } from './store-suite-fixtures.ts'

/** Cases of stored grants and the audit. */
export const grantCases: readonly StoreCase[] = [
  [
    'stores a grant and an entry of the audit with the decision they come with',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 'sus-1')])
      const record = recordFor('sus-1', { scope: 'always', grantee: 'user:ann' })
      const [receipt] = await store.decide('run', [approval('sus-1')], start, [record])
      assert.equal(receipt?.answer, 'applied')
      assert.deepEqual(await listGrants(store), [{ ...record.grant, agent: 'guide', at: start }])
      const [entry, ...others] = await listAudit(store)
      assert.deepEqual(others, [])
      const decisionId = receipt?.decisionId
      const grantId = record.grant?.id
      assert.deepEqual(entry, { ...record.entry, id: entry?.id, at: start, agent: 'guide', decisionId, grantId })
    },
  ],
  [
    'stores neither with a decision that is not stored',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 'sus-1')])
      const record = recordFor('sus-1', { scope: 'run' })
      const decisions = [approval('sus-1'), approval('gone')]
      await store.decide('run', decisions, start, [record, recordFor('gone')])
      const [again] = await store.decide('run', [approval('sus-1')], start + 1, [recordFor('other')])
      const other = await store.decide('run', [{ target: 'sus-1', action: 'cancel' }], start + 1, [recordFor('denied')])
      assert.deepEqual([again?.answer, other[0]?.answer], ['duplicate', 'stale'])
      assert.deepEqual(idsOf(await listGrants(store)), [record.grant?.id])
      assert.equal((await listAudit(store)).length, 1)
    },
  ],
  [
    'refuses a decision that goes beyond its call where no grant comes with it, or nobody was asked yet',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 'sus-1'), { ...suspendedCall(2, ''), status: 'new' }])
      const early = { target: 'call-2', action: 'resume', scope: 'run' } as const
      const receipts = await store.decide('run', [approval('sus-1'), early], start, [undefined, recordFor('early')])
      assert.deepEqual(
        receipts.map(({ answer }) => answer),
        ['refused', 'refused'],
      )
      assert.deepEqual(
        [await listGrants(store), await listAudit(store), await store.inbox('run', { kinds: ['decision'] })],
        [[], [], []],
      )
    },
  ],
  [
    'gives the grants of an agent, of a tool, of a run and for some, the newest first',
    async ({ store }) => {
      const granted = [{ grantee: 'user:ann' }, { grantee: 'user:bob', toolName: 'pay' }, { scope: 'run' }] as const
      await grantAll(store, granted)
      const given = async (filter: object) => idsOf(await listGrants(store, filter))
      assert.deepEqual(await given({}), ['grant-3', 'grant-2', 'grant-1'])
      assert.deepEqual(await given({ agent: 'guide', toolName: 'pay' }), ['grant-2'])
      assert.deepEqual(await given({ agent: 'clerk' }), [])
      assert.deepEqual(await given({ toolName: 'gone' }), [])
      assert.deepEqual(await given({ grantees: ['user:ann', granteeOfRun('run')] }), ['grant-3', 'grant-1'])
      assert.deepEqual(await given({ agent: 'guide', toolName: 'weather', grantees: [granteeOfRun('run')] }), [
        'grant-3',
      ])
      assert.deepEqual([await given({ grantees: [] }), await given({ runId: 'other' })], [[], []])
      assert.equal((await given({ runId: 'run' })).length, 3)
    },
  ],
  [
    'has exactly one of two calls that ask at once use a grant of scope once, and that one as often as it asks',
    async ({ store }) => {
      await grantAll(store, [{ scope: 'once', grantee: 'user:ann', callHash: 'hash' }])
      const uses = ['left', 'right'].map((runId) => useBy(runId, 'call-1'))
      const asked = await Promise.all(uses.map((entry) => store.change(useGrant('grant-1', entry, start))))
      assert.deepEqual([asked.includes(true), asked.includes(false)], [true, true])
      const again = await Promise.all(uses.map((entry) => store.change(useGrant('grant-1', entry, start))))
      assert.deepEqual(again, asked)
      assert.deepEqual(await listGrants(store), [])
      const winner = asked[0] === true ? 'left' : 'right'
      const forCall = { runId: winner, callId: 'call-1' }
      assert.deepEqual(idsOf(await listGrants(store, { forCall })), ['grant-1'])
      assert.deepEqual(await listGrants(store, { forCall: { ...forCall, callId: 'call-2' } }), [])
      assert.deepEqual(usesIn(await listAudit(store)), [`${winner} call-1`])
    },
  ],
  [
    'has every call use a grant that lasts, and notes each of them once',
    async ({ store }) => {
      await grantAll(store, [{ grantee: 'user:ann' }])
      for (const callId of ['call-1', 'call-2', 'call-1']) {
        assert.equal(await store.change(useGrant('grant-1', useBy('other', callId), start)), true)
      }
      assert.equal(await store.change(useGrant('grant-9', useBy('other', 'call-1'), start)), false)
      assert.deepEqual(usesIn(await listAudit(store)), ['other call-2', 'other call-1'])
      assert.equal((await listGrants(store)).length, 1)
    },
  ],
  [
    'takes a grant back once, and notes who did',
    async ({ store }) => {
      await grantAll(store, [{ grantee: 'user:ann' }])
      assert.equal(await revokeGrant(store, 'grant-1', { agents: ['clerk'], at: start }), undefined)
      assert.equal(
        (await revokeGrant(store, 'grant-1', { agents: ['guide'], by: 'bob', at: start + 5 }))?.id,
        'grant-1',
      )
      assert.equal(await revokeGrant(store, 'grant-1', { at: start + 6 }), undefined)
      assert.equal(await store.change(useGrant('grant-1', useBy('other', 'call-1'), start)), false)
      assert.deepEqual(await listGrants(store), [])
      const [entry] = await listAudit(store)
      const { action, by, grantId, at, agent } = entry ?? {}
      assert.deepEqual([action, by, grantId, at, agent], ['revoked', 'bob', 'grant-1', start + 5, 'guide'])
    },
  ],
  [
    'has a grant that is stored again under its id stand, whatever became of the one before',
    async ({ store }) => {
      const once = { id: 'again', scope: 'once', grantee: 'user:ann', callHash: 'hash' } as const
      await grantAll(store, [once, once, once])
      const standing = async () => (await listGrants(store)).map(({ at }) => at)
      assert.deepEqual(await standing(), [start + 2])
      await runWith(store, [suspendedCall(1, 'sus-1'), suspendedCall(2, 'sus-2')], 'other')
      const again = (target: string, at: number) =>
        store.decide('other', [approval(target)], at, [recordFor('again', { ...once, runId: 'other' })])
      assert.equal(await store.change(useGrant('again', useBy('run', 'call-1'), start)), true)
      assert.deepEqual(await standing(), [])
      await again('sus-1', start + 3)
      assert.deepEqual(await standing(), [start + 3])
      await revokeGrant(store, 'again', { at: start })
      await again('sus-2', start + 4)
      assert.deepEqual(await standing(), [start + 4])
    },
  ],
  [
    'gives no grant of a run that is done, and deletes it with the run; entries stay without the arguments',
    async ({ store }) => {
      const driver = await grantAll(store, [{ scope: 'run' }, { grantee: 'user:ann' }])
      await consumeAll(store, driver, { status: 'done', outcome: { reason: 'natural_end' }, release: true })
      await store.release(driver.lease)
      assert.deepEqual(idsOf(await listGrants(store)), ['grant-2'])
      assert.equal((await listAudit(store))[0]?.arguments !== undefined, true)
      await store.delete('run')
      await runWith(store, [suspendedCall(1, 'sus-1')])
      assert.deepEqual(idsOf(await listGrants(store)), ['grant-2'])
      const entries = await listAudit(store, { runId: 'run' })
      assert.deepEqual(
        entries.map((entry) => [entry.toolName, entry.argumentsHash, entry.arguments]),
        [
          ['weather', 'hash', undefined],
          ['weather', 'hash', undefined],
        ],
      )
    },
  ],
  [
    'gives the audit in pages, the newest entry first, of all runs or of one',
    async ({ store }) => {
      await grantAll(store, [{}, {}, {}])
      const first = await listAudit(store, { limit: 2 })
      assert.deepEqual(grantsOf(first), ['grant-3', 'grant-2'])
      assert.deepEqual(grantsOf(await listAudit(store, { before: first[1]?.id ?? 0, agent: 'guide' })), ['grant-1'])
      assert.deepEqual(await listAudit(store, { runId: 'other' }), [])
      assert.deepEqual(await listAudit(store, { agent: 'clerk' }), [])
      assert.deepEqual(await listAudit(store, { limit: 0 }), [])
    },
  ],
]

function approval(target: string): Decision {
  return { target, action: 'resume', scope: 'run' }
}

function recordFor(id: string, changes: Partial<NewGrant> = {}): DecisionRecord {
  const call = { runId: 'run', callId: 'call-1', toolName: 'weather' }
  const grant: NewGrant = {
    id,
    grantee: changes.scope === 'run' ? granteeOfRun('run') : 'user:ann',
    scope: 'always',
    says: 'allow',
    definition: 'shown',
    ...call,
    ...changes,
  }
  const shown = { argumentsHash: 'hash', arguments: { city: 'Oslo' } }
  return { entry: { action: 'approved', by: 'ann', ...call, ...shown }, grant }
}

/** Stores grants with one decision each, numbered in their order. */
async function grantAll(store: Store, granted: readonly Partial<NewGrant>[]): Promise<Driver> {
  const driver = await runWith(
    store,
    granted.map((_, index) => suspendedCall(index + 1, `sus-${index + 1}`)),
  )
  for (const [index, changes] of granted.entries()) {
    const record = recordFor(changes.id ?? `grant-${index + 1}`, changes)
    await store.decide('run', [approval(`sus-${index + 1}`)], start + index, [record])
  }
  return driver
}

function useBy(runId: string, callId: string): NewAuditEntry {
  return { action: 'used', runId, callId, toolName: 'weather', grantId: 'grant-1' }
}

function idsOf(grants: readonly { readonly id: string }[]): readonly string[] {
  return grants.map(({ id }) => id)
}

function usesIn(entries: readonly AuditEntry[]): readonly string[] {
  return entries.flatMap(({ action, runId, callId }) => (action === 'used' ? `${runId} ${callId}` : []))
}

function grantsOf(entries: readonly AuditEntry[]): readonly (string | undefined)[] {
  return entries.map(({ grantId }) => grantId)
}
