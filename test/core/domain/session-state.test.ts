import { expect, test } from 'vitest'
import { checkedSession, checkedSessionId } from '../../../src/core/domain/session-state.ts'
import { UsageError } from '../../../src/core/domain/text/usage-error.ts'

const state = { id: 's-1', agent: 'guide', metadata: {}, createdAt: 1, counters: {}, runs: 0, queued: [] }

function refusal(work: () => unknown): { readonly code: string; readonly message: string } {
  try {
    work()
  } catch (error) {
    if (error instanceof UsageError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('nothing was refused')
}

test('SES-01 accepts a session id of allowed characters, and lists these for any other', () => {
  expect(['a', 'A_9-z', 'x'.repeat(64)].map(checkedSessionId)).toEqual(['a', 'A_9-z', 'x'.repeat(64)])
  for (const id of ['', 'a.b', 'a b', 'a\n', 'x'.repeat(65), '\ud800'])
    expect(refusal(() => checkedSessionId(id))).toMatchObject({ code: 'bad_session_id' })
  expect(refusal(() => checkedSessionId('x'.repeat(100_000))).message.length).toBeLessThan(300)
})

test("SES-01 reports problems of a session's state, and freezes an accepted one", () => {
  const taken = checkedSession({ ...state, metadata: { list: [1] } })
  expect(Object.isFrozen(taken.metadata['list'])).toBe(true)
  const wrong: readonly (readonly [object, string])[] = [
    [{ counters: { main: '1' } }, 'counters'],
    [{ runs: -1 }, 'number of runs'],
    [{ queued: [{ item: { kind: 'cancel' }, at: 1 }] }, 'queue'],
    [{ queued: {} }, 'queue'],
    [{ agent: 1 }, 'agent'],
    [{ subject: 1 }, 'subject'],
    [{ lastRun: 1 }, 'last run'],
    [{ createdAt: '1' }, 'time'],
  ]
  for (const [change, told] of wrong) {
    const refused = refusal(() => checkedSession({ ...state, ...change }))
    expect(refused).toMatchObject({ code: 'bad_session', message: expect.stringContaining(told) })
  }
  expect(refusal(() => checkedSession({ ...state, metadata: JSON.parse('[]') }))).toMatchObject({
    code: 'bad_metadata',
  })
})
