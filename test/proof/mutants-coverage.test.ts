import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CoverageCache } from '../../proof/mutants-source/coverage-cache.ts'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 16)

test('TST-01 tests a mutant with the tests that reach it, or with all possible tests if sources have changed', async () => {
  const root = await temporaryFolder()
  for (const name of ['same.ts', 'changed.ts', 'new.ts']) writeFileSync(join(root, name), name)
  const covered = (name: string, hash: string, others: readonly string[]) => ({
    hash: '',
    passed: true,
    milliseconds: 1,
    sources: { [name]: { hash, entered: [0, 5] } },
    others,
  })
  const path = join(root, 'coverage.json')
  const cache = {
    'a.test.ts': covered('same.ts', hashOf('same.ts'), ['changed.ts']),
    'b.test.ts': covered('changed.ts', hashOf('as it was'), ['same.ts']),
    'c.test.ts': { ...covered('changed.ts', hashOf('as it was'), ['same.ts']), passed: false },
    'd.test.ts': covered('gone.ts', hashOf('gone.ts'), ['same.ts', 'changed.ts', 'new.ts']),
  }
  writeFileSync(path, JSON.stringify(cache))
  const coverage = new CoverageCache(path, { root, folder: root, temporary: root })
  const filesFor = (source: string, offset: number) => coverage.covering(source, offset).map(({ file }) => file)
  expect(filesFor('same.ts', 2)).toEqual(['a.test.ts'])
  expect(filesFor('same.ts', 7)).toEqual([])
  expect(filesFor('changed.ts', 7)).toEqual(['b.test.ts'])
  expect(filesFor('new.ts', 2)).toEqual(['b.test.ts'])
  expect(coverage.failing()).toEqual(['c.test.ts'])
})
