import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyChange, stateOf } from '../../../src/adapters/tools/file-change.ts'
import { confinePath } from '../../../src/adapters/tools/confine-path.ts'
import { type HeldPlace, inFolderOf } from '../../../src/adapters/tools/held-place.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { contextFor } from './call-tool.ts'

const changed = {
  content: [{ type: 'text', text: '"a" was changed meanwhile; nothing was written. Read it and try again.' }],
  status: 'error',
}

test.each([
  ['the file is as it was', 'old', 'old', undefined, 'new'],
  ['the file has another text', 'old', 'other', changed, 'other'],
  ['there is still no file', undefined, undefined, undefined, 'new'],
  ['a file has come', undefined, 'other', changed, 'other'],
])('TOOL-02 replaces a file only if %s', async (_what, before, meanwhile, refusal, left) => {
  const { root, at } = await fileOf(before)
  const answer = await at(async (place) => {
    const state = await stateOf(place)
    if (state === undefined) throw new Error('No state.')
    if (meanwhile !== undefined) await writeFile(join(root, 'a'), meanwhile)
    return { answer: await applyChange(place, { before: state, after: 'new' }, contextFor('write_file')) }
  })
  expect(answer).toEqual({ answer: refusal })
  expect(await readFile(join(root, 'a'), 'utf8')).toBe(left)
  expect(await readdir(root)).toEqual(['a'])
})

async function fileOf(content: string | undefined) {
  const root = await temporaryFolder()
  if (content !== undefined) await writeFile(join(root, 'a'), content)
  const inside = await confinePath(root, 'a')
  if (!inside.ok) throw new Error(inside.message)
  return { root, at: <T>(work: (place: HeldPlace) => Promise<T>) => inFolderOf(inside, work) }
}
