import { expect, test } from 'vitest'
import {
  checkOptions,
  either,
  filledText,
  flag,
  having,
  listOf,
  number,
  oneOf,
  optional,
  options,
  text,
} from '../../../../src/core/domain/text/option-shape.ts'

interface Given {
  readonly name?: string
  readonly word?: string
  readonly count?: number
  readonly list?: readonly string[]
  readonly deep?: { readonly flag: boolean }
  readonly clock?: object
  readonly off?: false | string
}

const shape = {
  name: optional(filledText),
  word: optional(oneOf('continue', 'wait', 'stop')),
  count: optional(number('a number of 1 or more', (value) => value >= 1)),
  list: optional(listOf(text)),
  deep: optional(options<{ flag: boolean }>({ flag })),
  clock: optional(having('a clock', 'now', 'sleepUntil')),
  off: optional(either(false, text)),
}

const wordWish = 'Expected continue, wait or stop.'
const known = 'Known: name, word, count, list, deep, clock, off.'

test.each<[unknown, string]>([
  [undefined, 'The options of it are undefined. Expected an object.'],
  [[1], 'The options of it are an array. Expected an object.'],
  [() => 1, 'The options of it are a function. Expected an object.'],
  ['x'.repeat(101), `The options of it are "${'x'.repeat(100)}". Expected an object.`],
  [{ nam: 'x' }, `Option nam of it is not known. Did you mean name? ${known}`],
  [{ llm: 'x' }, `Option llm of it is not known. Did you mean the model? ${known}`],
  [{ quite: 'x' }, `Option quite of it is not known. ${known}`],
  [{ toString: 'x' }, `Option toString of it is not known. ${known}`],
  [{ name: ' ' }, 'Option name of it is " ", which is refused. Expected a non-empty text.'],
  [{ name: 'a\ud800' }, String.raw`Option name of it is "a\ud800", which is refused. Expected a non-empty text.`],
  [{ name: null }, 'Option name of it is null, which is refused. Expected a non-empty text.'],
  [{ word: 'wiat' }, `Option word of it is "wiat", which is refused. ${wordWish} Did you mean "wait"?`],
  [{ word: 'never' }, `Option word of it is "never", which is refused. ${wordWish}`],
  [{ word: 5 }, `Option word of it is 5, which is refused. ${wordWish}`],
  [{ count: 0 }, 'Option count of it is 0, which is refused. Expected a number of 1 or more.'],
  [{ count: '2' }, 'Option count of it is "2", which is refused. Expected a number of 1 or more.'],
  [{ list: 'a' }, 'Option list of it is "a", which is refused. Expected a list.'],
  [{ list: ['a', 1] }, 'Option list[1] of it is 1, which is refused. Expected a text.'],
  [{ deep: 1 }, 'Option deep of it is 1, which is refused. Expected an object.'],
  [{ deep: {} }, 'Option deep.flag of it is missing. Expected true or false.'],
  [{ deep: { flg: true } }, 'Option deep.flg of it is not known. Did you mean flag? Known: flag.'],
  [{ clock: 1 }, 'Option clock of it is 1, which is refused. Expected a clock.'],
  [
    { clock: { now: () => 1, zone: 'z' } },
    'Option clock of it is { now: function, zone: string }, which is refused. Expected a clock; it has no method sleepUntil.',
  ],
  [{ off: true }, 'Option off of it is true, which is refused. Expected a text.'],
])('AGT-12 refuses options %# with what is wrong and what was expected', (given, message) => {
  const check = () => checkOptions<Given>('it', given, shape, { llm: 'the model' })
  expect(check).toThrow(expect.objectContaining({ name: 'UsageError', code: 'bad_option', message }))
})

test('AGT-12 accepts matching options, no options, and an instance with its own fields', () => {
  const given = {
    name: 'x',
    word: 'stop',
    count: 1,
    list: ['a'],
    deep: { flag: false },
    clock: { now: () => 1, sleepUntil: () => 2 },
    off: false,
  }
  class Settings {
    readonly name = 'x'
    readonly own = 1
  }
  for (const one of [given, {}, Object.assign(Object.create(null), { off: 'x' }), new Settings()]) {
    expect(() => checkOptions<Given>('it', one, shape)).not.toThrow()
  }
})
