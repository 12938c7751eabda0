import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Json, Run, Tool } from '../../../src/index.ts'
import { defaultTools } from '../../../src/adapters/tools/default-tools.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { unconfined } from '../../../src/adapters/tools/shell.ts'
import { resultsOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { type TestAgent, testAgent } from '../../../proof/support/test-agent.ts'

let root: string

beforeEach(async () => {
  root = await temporaryFolder()
})

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const put = (path: string, text: string) => writeFile(join(root, path), text)
const read = (path: string) => readFile(join(root, path), 'utf8')

/** An agent whose model makes one call of a file tool, and its run, waiting for approval. */
async function asked(name: string, given: Json, tools: readonly Tool[] = fileTools({ root })) {
  const made: TestAgent = testAgent({ replies: [calls(call('c1', name, given)), 'Bye'], tools })
  const run = made.agent.start('Hi')
  expect((await run.settled()).status).toBe('waiting')
  return { ...made, run }
}

const shown = async (run: Run) => (await run.settled()).suspended.map(({ suspension }) => suspension)
const previewOf = async (name: string, given: Json, tools?: readonly Tool[]) =>
  (await shown((await asked(name, given, tools)).run))[0]?.preview

test('TOOL-02 previews the effect of a write: the diff, the number of lines, and the current hash', async () => {
  await put('a', 'one\ntwo\nthree')
  expect(await previewOf('write_file', { path: './a', content: 'one\n2\nthree\nfour\n' })).toEqual({
    path: 'a',
    change: 'replace',
    diff: '--- a/a\n+++ b/a\n@@ -1,3 +1,4 @@\n one\n-two\n-three\n\\ No newline at end of file\n+2\n+three\n+four\n',
    added: 3,
    removed: 2,
    before: { hash: hashOf('one\ntwo\nthree'), bytes: 13, lines: 3 },
    after: { bytes: 17, lines: 4 },
    state: expect.stringMatching(/^\w+$/),
  })
  expect(await read('a')).toBe('one\ntwo\nthree')
})

test('TOOL-02 previews a new file in missing folders, without creating them', async () => {
  expect(await previewOf('write_file', { path: 'new/deep/a', content: 'one\n' })).toEqual({
    path: 'new/deep/a',
    change: 'create',
    diff: '--- /dev/null\n+++ b/new/deep/a\n@@ -0,0 +1,1 @@\n+one\n',
    added: 1,
    removed: 0,
    before: null,
    after: { bytes: 4, lines: 1 },
    state: expect.stringMatching(/^\w+$/),
  })
  expect(await readdir(root)).toEqual([])
})

test('TOOL-02 previews an edit with three lines around it', async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`)
  await put('a', `${lines.join('\n')}\n`)
  expect(await previewOf('edit_file', { path: 'a', edits: [{ oldText: 'line 10\n', newText: '' }] })).toMatchObject({
    diff: '--- a/a\n+++ b/a\n@@ -7,7 +7,6 @@\n line 7\n line 8\n line 9\n-line 10\n line 11\n line 12\n line 13\n',
    added: 0,
    removed: 1,
  })
})

test('TOOL-02 reports no change if a file already has the new content', async () => {
  await put('a', 'one\n')
  const preview = await previewOf('write_file', { path: 'a', content: 'one\n' })
  expect(preview).toMatchObject({ change: 'none', diff: '', added: 0, removed: 0, before: { lines: 1 } })
})

test('TOOL-02 previews a new file of many lines, counts all of them and marks where the diff is cut', async () => {
  const preview = await previewOf('write_file', { path: 'a', content: 'text\n'.repeat(50_000) })
  expect(preview).toMatchObject({ added: 50_000, removed: 0, diff: expect.stringMatching(/\n\[Cut after 4999\d of /) })
})

test('TOOL-02 reports that it shows no diff of a file that is not a text', async () => {
  await writeFile(join(root, 'a'), Buffer.from([0, 1, 2]))
  expect(await previewOf('write_file', { path: 'a', content: 'x' })).toMatchObject({
    change: 'replace',
    diff: '[No diff: what is replaced is not text, or too large.]',
    added: null,
    before: { bytes: 3, lines: null },
  })
})

test.each<[string, string, Json, string]>([
  ['leads outside', 'write_file', { path: '../a', content: 'x' }, 'Path "../a" is outside the root folder'],
  ['names a folder', 'write_file', { path: 'folder', content: 'x' }, '"folder" is a folder or a special file'],
  ['is kept', 'write_file', { path: '.git/config', content: 'x' }, 'Tools may not access ".git/config"'],
  ['is missing', 'edit_file', { path: 'no/a', edits: [{ oldText: 'a', newText: 'b' }] }, 'no such file'],
])('TOOL-03 predicts that a call fails if its path %s', async (_what, name, given, why) => {
  await mkdir(join(root, 'folder'))
  const preview = await previewOf(name, given)
  expect(preview).toContain('[As things are now, the call would fail: ')
  expect(preview).toContain(why)
})

test('TOOL-03 asks again, with the new diff, if the file has changed since the question', async () => {
  await put('a', 'one\n')
  const { run, store } = await asked('write_file', { path: 'a', content: 'three\n' })
  const [first] = await shown(run)
  await put('a', 'two\n')
  await run.approve()
  const [second] = await shown(run)
  expect(await read('a')).toBe('two\n')
  expect(second).toMatchObject({
    reason: 'approval',
    message: expect.stringContaining('"a" has changed since this call was shown. Nothing was written'),
    preview: { diff: '--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-two\n+three\n', before: { hash: hashOf('two\n') } },
  })
  expect(second?.id).not.toBe(first?.id)
  expect(await run.approve(first?.id)).toMatchObject({ answer: 'duplicate' })
  await rm(join(root, 'a'))
  await run.approve()
  expect((await shown(run))[0]).toMatchObject({ preview: { change: 'create', before: null } })
  await run.approve()
  expect((await run.settled()).status).toBe('done')
  expect(await read('a')).toBe('three\n')
  expect(await resultsOf(store, run.id)).toEqual({ '1.c1': 'Created a (6 bytes).' })
})

test('TOOL-03 asks again for an edit of a file that changed elsewhere, and for a file that exists now', async () => {
  await put('a', 'one\ntwo\n')
  const edit = await asked('edit_file', { path: 'a', edits: [{ oldText: 'one', newText: '1' }] })
  await put('a', 'one\n2\n')
  await edit.run.approve()
  expect(await shown(edit.run)).toMatchObject([{ preview: { before: { hash: hashOf('one\n2\n') } } }])
  await edit.run.deny()
  expect(await read('a')).toBe('one\n2\n')
  const create = await asked('write_file', { path: 'new/b', content: 'x' })
  await mkdir(join(root, 'new'))
  await put('new/b', 'mine')
  await create.run.approve()
  expect(await shown(create.run)).toMatchObject([{ preview: { change: 'replace' } }])
  expect(await read('new/b')).toBe('mine')
})

test('TOOL-03 asks again if a call that would have failed would write now', async () => {
  await mkdir(join(root, 'a'))
  const { run } = await asked('write_file', { path: 'a', content: 'x' })
  await rm(join(root, 'a'), { recursive: true })
  await run.approve()
  expect(await shown(run)).toMatchObject([{ preview: { change: 'create' } }])
  await run.approve()
  expect((await run.settled()).status).toBe('done')
  expect(await read('a')).toBe('x')
})

test('TOOL-03 writes an approved text through a link that now points to another file only after showing that file', async () => {
  await put('a', 'one\n')
  await put('b', 'two\n')
  await symlink('a', join(root, 'link'))
  const { run } = await asked('write_file', { path: 'link', content: 'x' })
  await rm(join(root, 'link'))
  await symlink('b', join(root, 'link'))
  await run.approve()
  expect(await shown(run)).toMatchObject([{ preview: { path: 'b' } }])
  expect([await read('a'), await read('b')]).toEqual(['one\n', 'two\n'])
})

test('TOOL-03 does not ask again if the file already has the approved content', async () => {
  await put('a', 'one\n')
  const { run } = await asked('write_file', { path: 'a', content: 'two\n' })
  await put('a', 'two\n')
  await run.approve()
  expect((await run.settled()).status).toBe('done')
})

test('TOOL-03 DEC-03 writes with arguments that a person edited, to another file or the same one', async () => {
  await put('a', 'one\n')
  const other = await asked('write_file', { path: 'a', content: 'two\n' })
  await other.run.edit(undefined, { path: 'b', content: 'two\n' })
  expect((await other.run.settled()).status).toBe('done')
  expect([await read('a'), await read('b')]).toEqual(['one\n', 'two\n'])
  const same = await asked('write_file', { path: 'a', content: 'two\n' })
  await put('a', 'changed\n')
  await same.run.edit(undefined, { path: 'a', content: 'three\n' })
  expect(await shown(same.run)).toMatchObject([{ preview: { diff: expect.stringContaining('-changed\n+three\n') } }])
})

test('TOOL-02 masks secrets in a preview, and still recognises the file', async () => {
  await put('verysecretvalue', 'key: verysecretvalue\n')
  const tools = defaultTools({ root, sandbox: unconfined(), environment: { PATH: '', API_KEY: 'verysecretvalue' } })
  const { run } = await asked(
    'edit_file',
    { path: 'verysecretvalue', edits: [{ oldText: 'key', newText: 'name' }] },
    tools,
  )
  const [suspension] = await shown(run)
  expect(JSON.stringify(suspension)).not.toContain('verysecretvalue')
  expect(suspension).toMatchObject({ preview: { diff: expect.stringContaining('-key: [secret API_KEY]') } })
  await put('verysecretvalue', 'key: verysecretvalue\n\n')
  await run.approve()
  expect(JSON.stringify(await shown(run))).toContain('key: [secret API_KEY]')
  expect(JSON.stringify(await shown(run))).not.toContain('verysecretvalue')
  await run.approve()
  await run.settled()
  expect(await read('verysecretvalue')).toBe('name: verysecretvalue\n\n')
})
