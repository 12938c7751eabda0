import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Decision, DecisionReceipt } from '../../src/index.ts'
import type { PostReceipt } from '../../src/ports.ts'
import type { PostedItem } from '../../src/core/domain/inbox.ts'
import { isTerminal } from '../../src/core/domain/call.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { StoreUnderTest } from '../../src/testing/stores/store-suite.ts'
import { isWhole } from '../../proof/support/sampled.ts'
import { storeSubjects } from '../../proof/conformance/store-subjects.ts'
import { fakeClock, start } from '../../proof/support/fake-clock.ts'
import { injectingStore } from '../../proof/support/injecting-store.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { testAgent } from '../../proof/support/test-agent.ts'
import { toolNamed } from '../../proof/support/tools.ts'
import { userMessage } from '../../src/core/domain/message.ts'

type Receipt = DecisionReceipt | PostReceipt

/** A row for a run, and its required effect unless its receipt says that it is too late. */
interface Sent {
  readonly what: string
  /** A decision that is kept for the call before it asks; without one the call asks and expires. */
  readonly kept?: Omit<Decision, 'target'>
  readonly send: (store: Store, runId: string) => Promise<Receipt | undefined>
  readonly expected: Partial<Played>
}

/** The outcome of a run. */
interface Played {
  readonly outcome: string
  /** The result of the call that asks. */
  readonly result: string | undefined
  /** The arguments of each performance after the question. */
  readonly performed: readonly string[]
  /** The number of starts of the once sibling, and its status. */
  readonly sibling: readonly [begun: number, status: string | undefined]
  /** Whether the model has read what was said. */
  readonly isHeard: boolean
}

const yes = { action: 'resume' } as const
const no = { action: 'cancel', reason: 'No.' } as const
const asks = '1.c1'
const expiresAt = start + 1000

async function decide(store: Store, runId: string, decision: Omit<Decision, 'target'>): Promise<Receipt | undefined> {
  const [receipt] = await store.decide(runId, [{ target: asks, ...decision }], start)
  return receipt
}

const post = (item: PostedItem) => (store: Store, runId: string) => store.post(runId, item, start)

const approved = { result: 'paid', performed: ['{"n":1}'] }
const denied = { result: 'No.', performed: [] }
const expired = { result: '[Cancelled: no decision came before the request expired.]', performed: [] }

const table: readonly Sent[] = [
  { what: 'a no after a yes', kept: yes, send: (...to) => decide(...to, no), expected: denied },
  { what: 'a yes after a no', kept: no, send: (...to) => decide(...to, yes), expected: approved },
  {
    what: 'an edit after a yes',
    kept: yes,
    send: (...to) => decide(...to, { ...yes, input: { n: 2 } }),
    expected: {
      result: '[A person changed the arguments of this call to: {"n":2}] | paid',
      performed: ['{"n":2}'],
    },
  },
  {
    what: 'a result after a yes',
    kept: yes,
    send: (...to) => decide(...to, { ...yes, mode: 'use-as-result', result: 'given' }),
    expected: { result: 'given', performed: [] },
  },
  {
    what: 'a cancel of the call',
    kept: yes,
    send: post({ kind: 'cancelCall', callId: asks, reason: 'Not this.' }),
    expected: { result: 'Not this.' },
  },
  { what: 'a cancel of the run', kept: yes, send: post({ kind: 'cancel' }), expected: { outcome: 'cancelled' } },
  {
    what: 'steering',
    kept: yes,
    send: post({ kind: 'steer', messages: [userMessage('Listen.', 1)] }),
    expected: { isHeard: true },
  },
  {
    what: 'a follow-up',
    kept: yes,
    send: post({ kind: 'followUp', messages: [userMessage('Listen.', 1)] }),
    expected: { isHeard: true },
  },
  { what: 'a yes before the expiry', send: (...to) => decide(...to, yes), expected: approved },
  { what: 'a no before the expiry', send: (...to) => decide(...to, no), expected: denied },
  {
    what: 'a cancel of a call that expires',
    send: post({ kind: 'cancelCall', callId: asks, reason: 'Not this.' }),
    expected: { result: 'Not this.' },
  },
]

/** The outcome of the run if nothing arrives in time. */
function unchanged({ kept }: Sent): Played {
  const asked = kept === undefined ? expired : kept.action === 'cancel' ? denied : approved
  return { outcome: 'natural_end', ...asked, sibling: [1, 'succeeded'], isHeard: false }
}

/**
 * Plays a run of two calls at once. One asks, after a decision was kept for it or until it expires. The other may run once
 * and ends only when the first is decided. Gives undefined where the run has fewer moments.
 */
async function play(inner: Store, runId: string, sent: Sent, at: number, decisions: 'immediate' | 'gate') {
  const { kept, send } = sent
  const clock = fakeClock()
  const performed: string[] = []
  let begun = 0
  let isKept = kept === undefined
  let receipt: Receipt | undefined
  /** The decision that is kept came behind the one that is sent. */
  let isOvertaken = false
  const ends = Promise.withResolvers<void>()
  const pay = toolNamed(
    'pay',
    async (input, { decision, suspend }) => {
      if (decision !== undefined) {
        performed.push(JSON.stringify(input))
        return 'paid'
      }
      if (kept !== undefined) {
        await decide(inner, runId, kept)
        isKept = true
      }
      return suspend(kept === undefined ? { expiresAt } : {})
    },
    { effects: 'none', input: { type: 'object', properties: { n: { type: 'number' } } } },
  )
  const sibling = toolNamed('sibling', async (_, { signal }) => {
    begun += 1
    signal.addEventListener('abort', () => ends.resolve(), { once: true })
    await ends.promise
    return 'done'
  })
  const { store, hasActed } = injectingStore(inner, {
    at,
    act: async () => {
      isOvertaken = !isKept
      receipt = await send(inner, runId)
    },
    committed: ({ calls: changed, consumed }) => {
      if (decisions === 'gate' && kept === undefined && consumed.length > 0) ends.resolve()
      for (const { record } of changed) {
        if (record.callId !== asks) continue
        if (isTerminal(record.status)) ends.resolve()
        else if (record.status === 'suspended') clock.advance(1000)
      }
    },
  })
  const { agent, prompts } = testAgent({
    replies: [calls(call('c1', 'pay', { n: 1 }), call('c2', 'sibling')), 'Bye', 'Bye again'],
    tools: [pay, sibling],
    store,
    clock,
    decisions,
  })
  const { outcome } = await agent.run('Pay', { runId })
  if (!hasActed()) return undefined
  const played: Played = {
    outcome: outcome.reason,
    result: (await resultsOf(inner, runId))[asks],
    performed,
    sibling: [begun, (await statusesOf(inner, runId))['1.c2']],
    isHeard: prompts.some((prompt) => prompt.some((line) => line.includes('Listen.'))),
  }
  const answer = receipt?.answer
  const isInTime = answer === 'applied' || (answer === 'kept' && !isOvertaken)
  return { played, isInTime, answer, left: await inner.inbox(runId, { isOpen: true }) }
}

// In memory the gate plays each row in both orders of decisions, and on the other stores in one of them.
const modes = ['immediate', 'gate'] as const
const playedOn = Object.entries(storeSubjects).map(([store, open], on) => {
  const rows = modes.flatMap((decisions) => table.map((sent, row) => ({ ...sent, decisions, row })))
  const isPlayed = ({ decisions, row }: (typeof rows)[number]) =>
    isWhole || store === 'memory' || (decisions === 'gate') === ((row + on) % 2 === 0)
  return [store, open, rows.filter(isPlayed)] as const
})

describe.each(playedOn)('%s', (_, open, rows) => {
  let subject: StoreUnderTest
  beforeAll(async () => void (subject = await open(fakeClock())))
  afterAll(() => subject.dispose())

  test.for(rows)(
    'DEC-06 RUN-07 obeys $what at any moment, or reports that it is too late ($decisions)',
    async (sent) => {
      const { decisions, what, expected } = sent
      const seen: string[] = []
      for (let at = 0; ; at++) {
        const runId = `${decisions}-${what}-${at}`.replaceAll(' ', '-')
        const found = await play(subject.store, runId, sent, at, decisions)
        if (found === undefined) break
        const { played, isInTime, answer = 'nothing', left } = found
        seen.push(answer)
        const undisturbed = played.outcome === 'cancelled' ? {} : { sibling: [1, 'succeeded'] }
        const wanted = isInTime ? { ...undisturbed, ...expected } : unchanged(sent)
        expect({ at, answer, ...played }).toMatchObject({ at, answer, ...wanted })
        expect(played.sibling[0]).toBeLessThan(2)
        expect(left).toEqual([])
      }
      expect(seen.length).toBeGreaterThan(6)
      expect(seen.some((answer) => answer === 'kept' || answer === 'applied')).toBe(true)
    },
  )
})
