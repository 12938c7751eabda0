import { expect, test } from 'vitest'
import { promptRoom } from '../../../src/core/prompt/prompt-room.ts'

const budget = 100_000
const systemTokens = 0

/** The room that a model of a window leaves for messages beside its answer. */
test.each<[string, { contextWindow?: number }, number, number]>([
  ['no window is known', {}, 8_000, 85_000],
  ['the window has more than the budget and the answer', { contextWindow: 200_000 }, 8_000, 85_000],
  ['the answer takes from the window', { contextWindow: 50_000 }, 10_000, 34_000],
  ['the answer may have the whole window, half of it', { contextWindow: 50_000 }, 50_000, 21_250],
  ['the model names no length of an answer', { contextWindow: 50_000 }, 0, 42_500],
])('CTX-02 gives messages the room that remains when %s', (_, model, output, most) => {
  expect(promptRoom(model, { budget, systemTokens }, { overhead: 0, output })).toEqual({
    most,
    target: expect.any(Number),
  })
})
