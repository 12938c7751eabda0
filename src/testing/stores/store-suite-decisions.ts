import assert from 'node:assert/strict'
import type { DecisionReceipt } from '../../core/domain/decision.ts'
import { hashText } from '../../core/domain/text/json.ts'
import type { Store } from '../../core/ports/store.ts'
import { answers, call, consumeAll, runWith, start, type StoreCase, suspendedCall } from './store-suite-fixtures.ts'

const approve = { target: 'call-1', action: 'resume' } as const
const deny = { target: 'call-1', action: 'cancel', reason: 'no' } as const
const approveId = `s1:${hashText('{"action":"resume"}')}`

/** Cases of `decide`: its receipts, and the rows that it stores. */
export const decisionCases: readonly StoreCase[] = [
  [
    'takes the answer of a service as the decision it is, once, and refuses what answers nothing',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 'sus-1', { isSent: true })])
      const event = {
        specversion: '1.0',
        id: 'e-1',
        source: '/bank',
        type: 'paid',
        parentid: 'call-1',
        data: { ok: true },
      }
      const post = async (changes: object = {}) =>
        (await store.post('run', { kind: 'serviceAnswer', body: { ...event, ...changes } }, start)).answer
      assert.equal(await post({ parentid: 'call-2' }), 'unknown')
      assert.equal(await post({ specversion: '2.0' }), 'refused')
      assert.equal((await store.post('run', { kind: 'serviceAnswer', body: { answer: 1 } }, start)).answer, 'refused')
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [])
      assert.equal(await post(), 'applied')
      assert.equal(await post(), 'duplicate')
      assert.equal(await post({ data: { ok: false } }), 'duplicate')
      assert.equal(await post({ id: 'e-2', data: { ok: false } }), 'stale')
      const [row, ...others] = await store.inbox('run', { isOpen: true })
      assert.deepEqual(others, [])
      const decision = row?.item.kind === 'decision' ? row.item.decision : undefined
      const { action, mode, result, by, suspensionId } = decision ?? {}
      assert.deepEqual(
        { action, mode, result, by, suspensionId },
        { action: 'resume', mode: 'use-as-result', result: { ok: true }, by: '/bank', suspensionId: 'sus-1' },
      )
    },
  ],
  [
    'refuses the answer of a service for a call of which no event was sent, and for another run',
    async ({ store }) => {
      const source = '/agents/guide/runs/run'
      const sends = { source, type: 'pay', subject: 'run', domains: [], attributes: {} }
      const sent = { isSent: true, suspension: { id: 's3', reason: 'service', sends } } as const
      const calls = [suspendedCall(1, 's1'), call(2, { status: 'new' }), suspendedCall(3, 's3', sent)]
      await runWith(store, calls)
      const post = (parentid: string, changes: object = {}) => {
        const event = { specversion: '1.0', id: `e-${parentid}`, source: '/bank', type: 'paid', parentid, ...changes }
        return store.post('run', { kind: 'serviceAnswer', body: event }, start)
      }
      const { answer, message = '' } = await post('call-1', { data: { ok: true } })
      assert.equal(answer, 'refused')
      assert.match(message, /No event of call "call-1" was sent.* approval/)
      assert.equal((await post('s1')).answer, 'refused')
      assert.equal((await post('call-2')).answer, 'refused')
      assert.equal((await post('call-3', { to: '/agents/guide/runs/other' })).answer, 'refused')
      assert.equal((await post('call-3', { to: '/agents/reviewer/runs/run' })).answer, 'refused')
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [])
      assert.equal((await post('call-3', { to: '/agents/guide/runs/run' })).answer, 'applied')
      assert.deepEqual(await store.decide('run', [approve], start), [
        { target: 'call-1', answer: 'applied', decisionId: approveId },
      ])
    },
  ],
  [
    'applies a decision to a suspended call, by call id, and stores it under a derived id',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 's1')])
      assert.deepEqual(await store.decide('run', [{ ...approve, input: 0, by: 'ann' }], start + 5), [
        { target: 'call-1', answer: 'applied', decisionId: `s1:${hashText('{"action":"resume","input":0}')}` },
      ])
      const [row] = await store.inbox('run', { kinds: ['decision'] })
      assert.ok(row)
      const decisionId = `s1:${hashText('{"action":"resume","input":0}')}`
      const decision = {
        ...approve,
        input: 0,
        by: 'ann',
        decisionId,
        callId: 'call-1',
        suspensionId: 's1',
        at: start + 5,
      }
      assert.deepEqual(row, { id: row.id, at: start + 5, item: { kind: 'decision', decision } })
      assert.deepEqual(await store.inbox('run', { isOpen: true }), [row])
      assert.deepEqual((await store.inbox('run', { decisionId }))[0], row)
      assert.equal((await store.inbox('run', { decisionId: 'another' }))[0], undefined)
    },
  ],
  [
    'applies a decision by suspension id, and by a provider id that one call alone ever had',
    async ({ store }) => {
      await runWith(store, [
        suspendedCall(1, 's1'),
        suspendedCall(2, 's2'),
        call(3, { toolCallId: 'again', status: 'succeeded' }),
        suspendedCall(4, 's4', { toolCallId: 'twice' }),
        suspendedCall(5, 's5', { toolCallId: 'twice' }),
        suspendedCall(6, 's6', { toolCallId: 'again' }),
      ])
      const targets = ['s1', 'provider-2', 'twice', 'again', 'nowhere']
      const receipts = await store.decide(
        'run',
        targets.map((target) => ({ target, action: 'cancel' })),
        start,
      )
      assert.deepEqual(
        receipts.map(({ answer }) => answer),
        ['applied', 'applied', 'unknown', 'unknown', 'unknown'],
      )
      assert.deepEqual(await decidedCalls(store), ['call-1', 'call-2'])
    },
  ],
  [
    'answers the same decision or the same answer again with duplicate, whatever its id',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 's1'), suspendedCall(2, 's2')])
      const named = { target: 'call-2', action: 'resume', decisionId: 'mine' } as const
      assert.deepEqual(await answers(store, [approve, named]), ['applied', 'applied'])
      assert.deepEqual(await answers(store, [approve]), ['duplicate'])
      assert.deepEqual(await answers(store, [{ ...approve, target: 's1' }, named]), ['duplicate', 'duplicate'])
      assert.deepEqual(await answers(store, [{ ...named, action: 'cancel' }]), ['duplicate'])
      assert.deepEqual(await answers(store, [{ ...approve, decisionId: 'other' }]), ['duplicate'])
      assert.deepEqual(await answers(store, [{ ...named, decisionId: 'other' }]), ['duplicate'])
      assert.deepEqual(await answers(store, [{ ...deny, decisionId: 'other' }]), ['stale'])
      assert.equal((await store.inbox('run', { kinds: ['decision'] })).length, 2)
    },
  ],
  [
    'never takes one decision id for two calls',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 's1'), suspendedCall(2, 's2')])
      const items = [1, 2].map((seq) => ({ target: `call-${seq}`, action: 'resume', decisionId: 'mine' }) as const)
      const [first, second] = await store.decide('run', items, start)
      assert.equal(first?.answer, 'applied')
      assert.equal(second?.answer, 'duplicate')
      assert.ok(second.message?.includes('call-1'), `expected the message to name call-1: ${second.message}`)
      assert.deepEqual(await decidedCalls(store), ['call-1'])
    },
  ],
  [
    'answers a second, different decision of one suspension with stale',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 's1')])
      assert.deepEqual(await answers(store, [approve]), ['applied'])
      assert.deepEqual(await answers(store, [deny]), ['stale'])
      assert.deepEqual(await decidedCalls(store), ['call-1'])
    },
  ],
  [
    'answers any decision of a call whose cancel is stored with stale, and those of other calls as before',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 's1'), suspendedCall(2, 's2'), suspendedCall(3, 's3'), call(4)])
      assert.deepEqual(await answers(store, [{ ...approve, target: 'call-3' }]), ['applied'])
      for (const callId of ['call-1', 'call-3', 'call-4']) {
        await store.post('run', { kind: 'cancelCall', callId }, start)
      }
      const items = ['call-1', 's1', 'call-4', 'call-2', 'call-3'].map((target) => ({ ...approve, target }))
      assert.deepEqual(await answers(store, items), ['stale', 'stale', 'stale', 'applied', 'duplicate'])
      assert.deepEqual(await answers(store, [deny, { ...deny, target: 's3' }]), ['stale', 'stale'])
      assert.deepEqual(await decidedCalls(store), ['call-3', 'call-2'])
    },
  ],
  [
    'judges each decision of one call with those before it already stored',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 's1')])
      const items = ['a', 'b', 'a'].map((decisionId) => ({ ...approve, decisionId }))
      assert.deepEqual(await answers(store, items), ['applied', 'duplicate', 'duplicate'])
      assert.equal((await store.inbox('run', { kinds: ['decision'] })).length, 1)
    },
  ],
  [
    'takes a new decision for a later suspension of the same call, not of one that a provider has called so',
    async ({ store }) => {
      const driver = await runWith(store, [suspendedCall(1, 's1'), suspendedCall(2, 'other', { toolCallId: 's1' })])
      await store.decide('run', [approve], start)
      await consumeAll(store, driver, { calls: [{ record: call(1), document: null }] })
      await driver.commit({ calls: [{ record: suspendedCall(1, 's2'), document: null }] })
      assert.deepEqual(await answers(store, [{ ...approve, target: 's1' }]), ['duplicate'])
      assert.deepEqual(await answers(store, [{ ...deny, target: 's1' }]), ['stale'])
      assert.deepEqual(await answers(store, [approve]), ['applied'])
      assert.equal((await store.inbox('run', { kinds: ['decision'] })).length, 2)
    },
  ],
  [
    'answers decisions of settled calls and expired suspensions with stale',
    async ({ store }) => {
      const expiring = { id: 's2', reason: 'approval', expiresAt: start } as const
      await runWith(store, [
        suspendedCall(1, 's1', { status: 'cancelled' }),
        suspendedCall(2, 's2', { suspension: expiring }),
        suspendedCall(3, 's3', { suspension: { ...expiring, id: 's3', expiresAt: start + 1 } }),
      ])
      const items = [1, 2, 3].map((seq) => ({ target: `call-${seq}`, action: 'resume' }) as const)
      assert.deepEqual(await answers(store, items), ['stale', 'stale', 'applied'])
      assert.deepEqual(await decidedCalls(store), ['call-3'])
    },
  ],
  [
    'refuses all items when two of them contradict one another, and stores none',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 's1'), suspendedCall(2, 's2')])
      const receipts = await store.decide(
        'run',
        [{ ...approve, target: 'call-2' }, approve, { ...deny, target: 's1' }],
        start,
      )
      assert.deepEqual(
        receipts.map(({ answer }) => answer),
        ['refused', 'refused', 'refused'],
      )
      for (const { message } of receipts) assert.ok(message?.includes('s1'), `expected the target in: ${message}`)
      assert.deepEqual(await store.inbox('run', { kinds: ['decision'] }), [])
      assert.deepEqual(await answers(store, [approve, { ...approve, target: 's1' }]), ['applied', 'duplicate'])
    },
  ],
  [
    'judges an answer to an earlier suspension and another to the open one as two targets',
    async ({ store }) => {
      const driver = await runWith(store, [suspendedCall(1, 's1')])
      assert.deepEqual(await answers(store, [approve]), ['applied'])
      await consumeAll(store, driver, { calls: [{ record: suspendedCall(1, 's2'), document: null }] })
      assert.deepEqual(await answers(store, [{ ...approve, target: 's1' }, deny]), ['duplicate', 'applied'])
      assert.equal((await store.inbox('run', { kinds: ['decision'] })).length, 2)
    },
  ],
  [
    'refuses items of a shape it does not know, one by one, and says what it expected',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 's1')])
      const malformed: readonly (readonly [item: unknown, expected: string])[] = [
        [null, 'object'],
        ['approve', 'object'],
        [[approve], 'object'],
        [{ action: 'resume' }, 'target'],
        [{ target: 7, action: 'resume' }, 'target'],
        [{ target: 'call-1' }, 'resume'],
        [{ target: 'call-1', action: 'approve' }, 'resume'],
        [{ ...approve, mode: 'again' }, 'use-as-result'],
        [{ ...approve, scope: 'forever' }, 'always'],
        [{ ...approve, decisionId: 5 }, 'decisionId'],
        [{ ...approve, reason: { text: 'no' } }, 'reason'],
        [{ ...approve, by: false }, 'by'],
        [{ ...approve, result: Number.NaN }, 'result'],
        [{ ...approve, input: { at: new Date(0) } }, 'input'],
        [{ ...approve, input: JSON.parse('{"__proto__":1}') }, 'input'],
      ]
      const untyped: UntypedDecide = store
      const receipts = await untyped.decide('run', [...malformed.map(([item]) => item), approve], start)
      for (const [index, [item, expected]] of malformed.entries()) {
        const receipt = receipts[index]
        assert.equal(receipt?.answer, 'refused', `${JSON.stringify(item)} was answered ${receipt?.answer}`)
        assert.ok(receipt.message?.includes(expected), `expected "${expected}" in: ${receipt.message}`)
      }
      assert.deepEqual(receipts.at(-1), { target: 'call-1', answer: 'applied', decisionId: approveId })
      assert.equal((await store.inbox('run', { kinds: ['decision'] })).length, 1)
    },
  ],
  [
    'takes the first of many different answers to one suspension sent at once',
    async ({ store }) => {
      await runWith(store, [suspendedCall(1, 's1')])
      const answered = await Promise.all(
        Array.from({ length: 20 }, (_, index) => answers(store, [{ ...approve, input: index % 10 }])),
      )
      const counted = (answer: string) => answered.flat().filter((one) => one === answer).length
      assert.deepEqual([counted('applied'), counted('duplicate') + counted('stale')], [1, 19])
      assert.equal((await store.inbox('run', { kinds: ['decision'] })).length, 1)
    },
  ],
  [
    'answers no items with no receipts',
    async ({ store }) => {
      await runWith(store, [])
      assert.deepEqual(await store.decide('run', [], start), [])
    },
  ],
]

/** `decide` for a caller without a compiler. */
interface UntypedDecide {
  decide(runId: string, items: readonly unknown[], now: number): Promise<readonly DecisionReceipt[]>
}

async function decidedCalls(store: Store): Promise<readonly string[]> {
  const rows = await store.inbox('run', { kinds: ['decision'] })
  return rows.flatMap(({ item }) => (item.kind === 'decision' ? [item.decision.callId] : []))
}
