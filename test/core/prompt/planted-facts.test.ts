import { expect, test } from 'vitest'
import { playPlanted } from '../../../proof/support/planted-facts.ts'

test('CTX-02 CTX-03 keeps instructions, open calls and late results through a compaction at each turn', async () => {
  const { broken, compactions, kinds } = await playPlanted({ turns: 24 })
  expect(broken).toEqual([])
  expect(compactions).toBeGreaterThan(15)
  expect(kinds).toMatchObject({
    instruction: { planted: 6, kept: 6 },
    rule: { planted: 6, kept: 6 },
    question: { planted: 6, kept: 6 },
    // The fifth was approved, and its result read, before it was left out.
    'pending call': { planted: 5, kept: 4 },
  })
})
