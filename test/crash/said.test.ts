import { expect, test } from 'vitest'
import { judgeSaid, saidIn } from '../../src/testing/crash/said.ts'
import { userMessage } from '../../src/core/domain/message.ts'

const said = saidIn({ kind: 'steer', messages: [userMessage('a', 1)] }).concat(
  saidIn({ kind: 'steer', messages: [userMessage('b', 1)] }),
  saidIn({ kind: 'followUp', messages: [userMessage('c', 1)] }),
  saidIn({ kind: 'extension', message: { role: 'extension', kind: 'note', data: 1, timestamp: 0 } }),
)

test.each([
  [['a', 'b', 'c', 'note 1'], []],
  [['c', 'note 1', 'a', 'b'], []],
  [['a', 'c', 'note 1'], ['lost: "b" (steer) was taken in 0 times; expected 1.']],
  [['a', 'b', 'c', 'note 1', 'c'], ['doubled: "c" (followUp) was taken in 2 times; expected 1.']],
  [['b', 'a', 'c', 'note 1'], ['transcript: Said (steer): a, b. Taken in: b, a.']],
])('AGT-03 TST-03 judges the read messages as %j', (heard, problems) => {
  expect(judgeSaid(said, heard).map(({ kind, message }) => `${kind}: ${message}`)).toEqual(problems)
})

test('PH-03 TST-03 no model reads a message that filters refuse', () => {
  const isRefused = (text: string) => text === 'c'
  expect(judgeSaid(said, ['a', 'b', 'note 1'], isRefused)).toEqual([])
  expect(judgeSaid(said, ['a', 'b', 'c', 'note 1'], isRefused)).toMatchObject([{ kind: 'doubled' }])
})
