import assert from 'node:assert/strict'
import type { Memory, MemoryItem } from '../../core/ports/memory.ts'
import { watched } from '../watchdog.ts'

/** A fresh, empty memory. */
export interface MemoryUnderTest {
  readonly memory: Memory
  /** Closes the memory and removes everything that it left. */
  dispose(): Promise<void>
}

type Case = readonly [name: string, run: (memory: Memory) => Promise<void>]

/**
 * Returns the cases that every memory must pass, for any test runner. `open` returns a new, empty memory for each case.
 */
export function memorySuite(
  open: () => Promise<MemoryUnderTest>,
): readonly { readonly name: string; readonly run: () => Promise<void> }[] {
  return cases.map(([name, run]) => ({
    name,
    run: () =>
      watched(name, async () => {
        const under = await open()
        try {
          await run(under.memory)
        } finally {
          await under.dispose()
        }
      }),
  }))
}

function item(key: string, data: MemoryItem['data'], changes: Partial<MemoryItem> = {}): MemoryItem {
  return { userId: 'ann', kind: 'answer', key, data, at: 1, ...changes }
}

async function keysFor(memory: Memory, input: string, userId = 'ann'): Promise<readonly string[]> {
  return (await memory.query({ userId, input })).map(({ key }) => key)
}

const cases: readonly Case[] = [
  [
    'finds what has a word of the input, with all that was kept of it',
    async (memory) => {
      const kept = item('k1', { text: 'Ann lives in Lisbon.' }, { session: 's1', at: 7 })
      await memory.add(kept)
      await memory.add(item('k2', 'The cat is called Tom.'))
      const { userId: _, ...found } = kept
      assert.deepEqual(await memory.query({ userId: 'ann', input: 'And LISBON?' }), [found])
      assert.deepEqual(await memory.query({ userId: 'ann', input: 'Or Paris?' }), [])
      assert.deepEqual(await memory.query({ userId: 'ann', input: '' }), [])
    },
  ],
  [
    'keeps the memories of users apart',
    async (memory) => {
      await memory.add(item('k1', 'The harbour of Ann.'))
      await memory.add(item('k1', 'The harbour of Bob.', { userId: 'bob' }))
      const told = await memory.query({ userId: 'bob', input: 'harbour Ann' })
      assert.deepEqual(
        told.map(({ data }) => data),
        ['The harbour of Bob.'],
      )
      for (const userId of ['b', 'BOB', 'bob OR ann', 'bob"', '*', 'owner']) {
        assert.deepEqual(await keysFor(memory, 'harbour', userId), [])
      }
    },
  ],
  [
    'keeps one memory a key, however often it is added',
    async (memory) => {
      await memory.add(item('k1', 'A red door.'))
      await memory.add(item('k1', 'A red door.'))
      await memory.add(item('k1', 'A blue door.'))
      assert.deepEqual(await keysFor(memory, 'door'), ['k1'])
      assert.deepEqual(await keysFor(memory, 'red'), [])
    },
  ],
  [
    'gives the better match first, and of equal ones the newer',
    async (memory) => {
      await memory.add(item('old', 'tea please', { at: 1 }))
      await memory.add(item('new', 'tea please', { at: 2 }))
      await memory.add(item('both', 'green tea', { at: 0 }))
      await memory.add(item('none', 'black coffee'))
      assert.deepEqual(await keysFor(memory, 'green tea'), ['both', 'new', 'old'])
    },
  ],
  [
    'takes words and quotes of any query language as text',
    async (memory) => {
      await memory.add(item('k1', 'near the house'))
      const inputs = [
        '"',
        'house"',
        '" OR owner:*',
        'NEAR(a b) house',
        'house*',
        '(house',
        '-house',
        'text: house',
        "house';--",
      ]
      for (const input of inputs) {
        const found = await keysFor(memory, input)
        assert.deepEqual(found, input.includes('house') || input.includes('NEAR') ? ['k1'] : [], input)
      }
      assert.deepEqual(await keysFor(memory, 'long '.repeat(50_000)), [])
    },
  ],
  [
    'forgets a user, and nobody else',
    async (memory) => {
      await memory.add(item('k1', 'The harbour.'))
      await memory.add(item('k2', 'The harbour again.'))
      await memory.add(item('k1', 'The harbour.', { userId: 'bob' }))
      assert.equal(await memory.forget('ann'), 2)
      assert.equal(await memory.forget('ann'), 0)
      assert.deepEqual(await keysFor(memory, 'harbour'), [])
      assert.deepEqual(await keysFor(memory, 'harbour', 'bob'), ['k1'])
    },
  ],
]
