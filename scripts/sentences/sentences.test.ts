import { describe, expect, test } from 'vitest'
import { checkSentences } from '../sentences.ts'
import { readExports } from './read-exports.ts'

describe('sentences on exports', () => {
  test('reads each declared export with its sentence, tags left out', () => {
    const text = [
      '/** A file that says what it is. */',
      '',
      '/** One sentence. */',
      'export const one = 1, other = 2',
      '/**',
      ' * Two lines',
      ' * of one sentence.',
      ' *',
      ' * @example',
      ' * two()',
      ' */',
      'export async function two() {}',
      'export interface Three {}',
      '/** Of its own. */',
      'const own = 4',
      'export { own }',
      "export { five } from './five.ts'",
    ].join('\n')
    expect(readExports('x.ts', text)).toEqual([
      { name: 'one', line: 4, sentence: 'One sentence.' },
      { name: 'other', line: 4, sentence: 'One sentence.' },
      { name: 'two', line: 12, sentence: 'Two lines of one sentence.' },
      { name: 'Three', line: 13, sentence: '' },
    ])
  })

  test('refuses a file it cannot parse instead of skipping it', () => {
    expect(() => readExports('x.ts', 'export const')).toThrow(/x\.ts cannot be parsed/)
  })

  test('finds a sentence on every export, and each planted one that has none', () => {
    const { findings, missedPlants, problems } = checkSentences()
    expect({ findings, missedPlants, problems }).toEqual({ findings: [], missedPlants: [], problems: [] })
  })
})
