import { spawnSync } from 'node:child_process'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { array, assert, asyncProperty, boolean, constantFrom } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { searchSubjects } from '../../../proof/conformance/search-subjects.ts'
import { searchSuite } from '../../../proof/conformance/search-suite.ts'
import { isWhole } from '../../../proof/support/sampled.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { expressionOf } from '../../../src/adapters/tools/line-matcher.ts'
import { ripgrepPattern } from '../../../src/adapters/tools/ripgrep-pattern.ts'
import { findRipgrep } from '../../../src/adapters/tools/ripgrep.ts'
import { searchFilesTool } from '../../../src/adapters/tools/search-files.ts'
import { callTool, textOf } from './call-tool.ts'

const subjects = await searchSubjects()
const program = await findRipgrep()

describe.each(Object.entries(subjects))('%s', (_subject, make) => {
  test.each(searchSuite(make).map((one) => [one.name, one.run] as const))('TOOL-02 search %s', async (_name, run) => {
    await expect(run()).resolves.toBeUndefined()
  })
})

test.skipIf(program === undefined)(
  'TOOL-02 ripgrep never skips a file that an expression matches',
  async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'file')
    const atoms = [
      'a',
      'B',
      'ß',
      '🌍',
      '.',
      '\\d',
      '\\w',
      '\\s',
      '\\S',
      '\\b',
      '[a-c]',
      '[^a]',
      '[^\\d]',
      '(?:a|b)',
      '^',
      '$',
      '\\.',
      '[-.]',
    ]
    const texts = ['a', 'b', 'B', 'ß', '🌍', '1', ' ', '.', '\u0085', '\uFEFF', '\r', '\n', '\xff', '-', '_', 'ſ', 'K']
    const expression = array(constantFrom(...atoms, '*', '+', '?', '{2}', '{1,2}', '|'), { minLength: 1, maxLength: 5 })
    const text = array(constantFrom(...texts), { maxLength: 8 })
    await assert(
      asyncProperty(expression, text, boolean(), boolean(), async (parts, pieces, ignoreCase, regex) => {
        const query = parts.join('')
        const pattern = ripgrepPattern({ query, regex, ignoreCase })
        if (pattern === undefined) return
        const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece, piece === '\xff' ? 'latin1' : 'utf8')))
        await writeFile(file, bytes)
        const literal = query.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
        const wanted = regex ? expressionOf(query, ignoreCase ? 'i' : '') : new RegExp(literal, ignoreCase ? 'iu' : 'u')
        const isMatch = bytes
          .toString('utf8')
          .split(/\r?\n/)
          .some((line) => wanted.test(line))
        const flags = ['--no-config', '--encoding', 'none', ignoreCase ? '-i' : '-s', '-l', '-e', pattern, file]
        const isFound = spawnSync(program ?? 'rg', flags).status === 0
        expect({ isMatch, isFound: isFound || !isMatch }).toEqual({ isMatch, isFound: true })
      }),
      { numRuns: isWhole ? 300 : 80 },
    )
  },
  60_000,
)

test.each([
  ['a line end', { query: 'a\nb', regex: false }],
  ['the sign for what cannot be read', { query: '\uFFFD', regex: false }],
  ['a look behind', { query: '(?<=a)b', regex: true }],
  ['a reference back', { query: '(a)\\1', regex: true }],
  ['a property', { query: '\\p{L}', regex: true }],
  ['a set that means more in any case', { query: '\\w', regex: true, ignoreCase: true }],
  ['an expression by UTF-16 units', { query: '\\-', regex: true }],
])('TOOL-02 searches for %s without ripgrep', (_what, given) => {
  expect(ripgrepPattern({ ignoreCase: false, ...given })).toBeUndefined()
})

test('TOOL-03 a folder swapped for a link after ripgrep looked into it is not read', async () => {
  const outer = await temporaryFolder()
  const root = join(outer, 'root')
  await mkdir(join(root, 'inner'), { recursive: true })
  await mkdir(join(outer, 'outside'))
  await writeFile(join(root, 'inner/a'), 'ours')
  await writeFile(join(outer, 'outside/a'), 'SECRET ours')
  const ripgrep = async () => {
    await rename(join(root, 'inner'), join(outer, 'away'))
    await symlink(join(outer, 'outside'), join(root, 'inner'))
    return program
  }
  const tool = searchFilesTool(root, { ripgrep })
  expect(textOf(await callTool([tool], 'search_files', { query: 'ours' }))).toBe('No match in 0 files.')
  expect(dirname(root)).toBe(outer)
})
