import { expect } from 'vitest'
import type { Memory, MemoryItem } from '../../../src/core/ports/memory.ts'

/** Talks of one user, line by line, with questions that each find one line. */
const talks: readonly (readonly string[])[] = [
  ['How have you been, and what have you been doing?', 'I have been fine, and I have done what I do.'],
  ['Was it you who was there when it was over?', 'It was me, and I was there until it was over.'],
  ['What is it that you would do if you could?', 'I would do what you would do.'],
  ['Nils repairs old clocks in his garage.'],
  ['The vet of our cats is Dr. Olsen.'],
  ['Grandmother baked three cherry pies.'],
  ['We are allergic to hazelnuts.'],
  ['Priya teaches swimming at the harbour.'],
  ['The insurance of the van ends in June.'],
  ['My brother studies geology in Bergen.'],
  ['Which paint shall we order for the hallway?', 'Pale green, two tins.'],
  ['Where do we meet before the concert?', 'Under the old station roof.'],
  ['Who waters the tomatoes in August?', 'Our neighbour with the red bicycle.'],
  ['京都の天気はとても良いです。'],
  ['To be, or not to be.'],
]

/** Questions, and how the line begins that answers each. */
const questions: Readonly<Record<string, string>> = {
  'What is it that Nils does when he has the time?': 'Nils repairs',
  'Who repaired a clock?': 'Nils repairs',
  'Do you know who it is that is a vet for a cat?': 'The vet',
  'Who was baking a cherry pie?': 'Grandmother',
  'Has anybody got allergies to a hazelnut?': 'We are allergic',
  'When do the swimmers of Priya learn?': 'Priya teaches',
  'Which vans are insured?': 'The insurance',
  'Who is studying rocks in Bergen?': 'My brother',
  'What is the paint of the hallway?': 'Pale green',
  'Where was it that we did meet for the concert?': 'Under the old',
  'Who is watering our tomatoes?': 'Our neighbour',
  京都の天気: '京都',
  'to be or not to be': 'To be',
}

/** Returns an item of a memory. */
function item(key: string, data: MemoryItem['data'], changes: Partial<MemoryItem> = {}): MemoryItem {
  return { userId: 'ann', kind: 'answer', key, data, at: 0, ...changes }
}

async function keysFor(memory: Memory, input: string): Promise<readonly string[]> {
  return (await memory.query({ userId: 'ann', input })).map(({ key }) => key)
}

/** Cases of finding that hold for every memory of ours, each on a fresh one. */
export const findingCases: Readonly<Record<string, (memory: Memory) => Promise<void>>> = {
  'finds the answer of each question among the first three': async (memory) => {
    const lines = talks.flatMap((talk, number) => talk.map((line) => ({ line, session: `talk-${number}` })))
    for (const [at, { line, session }] of lines.entries()) await memory.add(item(`line-${at}`, line, { at, session }))
    const missed: string[] = []
    for (const [input, wanted] of Object.entries(questions)) {
      const found = (await memory.query({ userId: 'ann', input })).slice(0, 3)
      if (!found.some(({ data }) => typeof data === 'string' && data.startsWith(wanted))) missed.push(input)
    }
    expect(missed).toEqual([])
  },
  'puts the words of a memory before those of the memory before it, whatever the order of arrival': async (memory) => {
    await memory.add(item('third', 'Then a walk.', { session: 's', at: 3 }))
    await memory.add(item('first', 'The harbour at dawn.', { session: 's', at: 1 }))
    expect(await keysFor(memory, 'harbour')).toEqual(['first', 'third'])
    await memory.add(item('second', 'Coffee and bread.', { session: 's', at: 2 }))
    expect(await keysFor(memory, 'harbour')).toEqual(['first', 'second'])
    await memory.add(item('second', 'Coffee.', { session: 'other', at: 2 }))
    expect(await keysFor(memory, 'harbour')).toEqual(['first', 'third'])
    await memory.add(item('first', 'Nothing.', { session: 's', at: 1 }))
    expect(await keysFor(memory, 'harbour')).toEqual([])
  },
  'puts the newest of memories that say the same first, and the others last': async (memory) => {
    await memory.add(item('old', 'Tea, please!', { at: 1 }))
    await memory.add(item('new', 'tea please', { at: 2 }))
    await memory.add(item('other', 'Black tea from the old market, with milk', { at: 0 }))
    expect(await keysFor(memory, 'tea')).toEqual(['new', 'other', 'old'])
  },
}
