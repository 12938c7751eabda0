import { expect, test } from 'vitest'
import { isToolName, toolNameOf, toolNamesOf } from '../../../src/core/domain/tool-name.ts'

test('TOOL-05 keeps a valid name, and replaces other characters by "_"', () => {
  expect(toolNameOf('x'.repeat(64))).toBe('x'.repeat(64))
  expect(toolNameOf('repos/get content', 'hub')).toBe('hub__repos_get_content')
  expect(toolNameOf('/'.repeat(64))).toBe('_'.repeat(64))
})

test('TOOL-05 keeps names apart that differ only after the 64th character, with any prefix', () => {
  const start = 'patch/core/v1/namespaced-replication-controller-'.padEnd(80, 'scale-')
  for (const prefix of [undefined, 'k', 'p'.repeat(32)]) {
    const names = ['a', 'b', '/c', '_c'].map((end) => toolNameOf(`${start}${end}`, prefix))
    expect(new Set(names).size).toBe(4)
    expect(names.filter((name) => name.length !== 64 || !isToolName(name))).toEqual([])
  }
})

test('TOOL-05 a shortened name is the same in every process', () => {
  expect(toolNameOf('x'.repeat(65))).toBe(`${'x'.repeat(53)}_3670b7da3f`)
})

test('TOOL-05 adds a hash to names of one source that become equal, except to the name that was already valid', () => {
  const sources = ['a.b', 'a_b', 'a/b', 'c.d', 'a.b']
  expect(Object.fromEntries(toolNamesOf(sources))).toEqual({
    'a.b': 'a_b_4047be5d57',
    a_b: 'a_b',
    'a/b': 'a_b_9374119e4e',
    'c.d': 'c_d',
  })
  const long = toolNamesOf(['/', '.'], 'p'.repeat(61))
  expect([...long.values()].map((name) => [isToolName(name), name.length])).toEqual([
    [true, 64],
    [true, 64],
  ])
  expect(new Set(long.values()).size).toBe(2)
})
