import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import type { ProbeQuestion } from '../../../src/core/ports/tool.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

let root: string

beforeEach(async () => {
  root = join(await temporaryFolder(), 'root')
  await mkdir(root)
})

const probe = async (name: string, given: object) => {
  const question = { arguments: given, signal: new AbortController().signal } as Partial<ProbeQuestion>
  return await fileTools({ root })
    .find((tool) => tool.name === name)
    ?.probe?.(question as never)
}

describe('TOOL-08 probes of file tools', () => {
  test.each<readonly [string, string | undefined, object]>([
    ['holds the content', 'new', { status: 'done', result: { content: [{ text: 'Wrote a.txt (3 bytes).' }] } }],
    ['is not there', undefined, { status: 'notDone', runAgain: true }],
    ['holds something else', 'old', { status: 'unknown', evidence: '"a.txt" holds something else now.' }],
    ['is empty', '', { status: 'unknown' }],
  ])('TOOL-08 probes write_file: the file %s', async (_, content, expected) => {
    if (content !== undefined) await writeFile(join(root, 'a.txt'), content)
    expect(await probe('write_file', { path: 'a.txt', content: 'new' })).toMatchObject(expected)
  })

  test.each<readonly [string, string, readonly (readonly [string, string])[], string]>([
    ['is edited', 'x new y', [['old', 'new']], 'done'],
    ['is not edited', 'x old y', [['old', 'new']], 'notDone'],
    [
      'is edited in part',
      'new b',
      [
        ['a', 'new'],
        ['b', 'c'],
      ],
      'unknown',
    ],
    ['has both texts', 'old new', [['old', 'new']], 'unknown'],
    ['has neither', 'other', [['old', 'new']], 'unknown'],
    ['is told nothing by a text that grows', 'old and more', [['old', 'old and more']], 'unknown'],
    ['is told nothing by a text that goes', 'x y', [['old', '']], 'unknown'],
  ])('TOOL-08 probes edit_file: the file %s', async (_, content, pairs, status) => {
    await writeFile(join(root, 'a.txt'), content)
    const edits = pairs.map(([oldText, newText]) => ({ oldText, newText }))
    expect(await probe('edit_file', { path: 'a.txt', edits })).toMatchObject({ status })
  })

  test('TOOL-08 has no result for a path outside, a folder and a file that is not a text', async () => {
    await mkdir(join(root, 'folder'))
    await writeFile(join(root, 'bytes'), Buffer.from([0, 1, 2]))
    for (const path of ['../a.txt', 'folder', 'bytes', '.git/config'])
      expect([path, await probe('write_file', { path, content: 'x' })]).toMatchObject([path, { status: 'unknown' }])
  })
})
