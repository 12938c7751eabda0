import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { errorCode } from '../../../src/adapters/tools/file-failure.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { holdFolder, type HoldingWay, inMadeFolder, openIn } from '../../../src/adapters/tools/held-folder.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { callTool, textOf } from './call-tool.ts'

let root: string
let outside: string

beforeEach(async () => {
  const folder = await temporaryFolder()
  root = join(folder, 'root')
  outside = join(folder, 'outside')
  await mkdir(join(root, 'inner', 'deep'), { recursive: true })
  await mkdir(join(outside, 'deep'), { recursive: true })
  for (const [place, text] of [
    [root, 'ours'],
    [outside, 'SECRET'],
  ] as const) {
    await writeFile(join(place, place === root ? 'inner/a.txt' : 'a.txt'), text)
    await writeFile(join(place, place === root ? 'inner/deep/b.txt' : 'deep/b.txt'), text)
  }
})

const ways: readonly HoldingWay[] = ['descriptor', 'identity']

describe.each(ways)('held by %s', (way) => {
  const contentOf = async (names: readonly string[], name: string) => {
    const folder = await holdFolder(root, names, way)
    try {
      return await readAndClose(await openIn(folder, name, constants.O_RDONLY))
    } finally {
      await folder.close()
    }
  }

  test('TOOL-03 opens a file of a folder', async () => {
    expect(await contentOf(['inner', 'deep'], 'b.txt')).toBe('ours')
  })

  test('TOOL-03 refuses links on the way and at its end', async () => {
    await symlink(outside, join(root, 'way'))
    await symlink(join(outside, 'a.txt'), join(root, 'end'))
    await expect(contentOf(['way'], 'a.txt')).rejects.toThrow(/ENOTDIR|ELOOP|not a folder/)
    await expect(contentOf(['way', 'deep'], 'b.txt')).rejects.toThrow(/ENOTDIR|ELOOP|not a folder/)
    await expect(contentOf([], 'end')).rejects.toThrow('ELOOP')
  })

  test('TOOL-03 creates missing folders', async () => {
    await inMadeFolder(root, ['new', 'deep'], async ({ path }) => writeFile(join(path, 'a'), ''), way)
    expect(await readdir(join(root, 'new'), { recursive: true })).toEqual(['deep', 'deep/a'])
  })

  test('TOOL-03 removes the empty folders that it created, and no others', async () => {
    await mkdir(join(root, 'old'))
    await inMadeFolder(root, ['old', 'new', 'deep'], async () => undefined, way)
    await inMadeFolder(root, ['kept', 'new'], async () => writeFile(join(root, 'kept', 'a'), ''), way)
    await expect(inMadeFolder(root, ['other', 'x'.repeat(256)], async () => undefined, way)).rejects.toThrow(
      'ENAMETOOLONG',
    )
    expect((await readdir(root)).toSorted()).toEqual(['inner', 'kept', 'old'])
    expect(await readdir(join(root, 'kept'))).toEqual(['a'])
    expect(await readdir(join(root, 'old'))).toEqual([])
  })

  test("TOOL-03 never opens a link's target that was put in the place of a held folder", async () => {
    const folder = await holdFolder(root, ['inner'], way)
    await rename(join(root, 'inner'), join(root, 'away'))
    await symlink(outside, join(root, 'inner'))
    const found = await openIn(folder, 'a.txt', constants.O_RDONLY).then(readAndClose, errorCode)
    await folder.close()
    expect(found).toBe(way === 'identity' ? 'ENOTDIR' : 'ours')
  })
})

async function readAndClose(file: Awaited<ReturnType<typeof openIn>>): Promise<string> {
  const text = await file.readFile('utf8')
  await file.close()
  return text
}

test('TOOL-03 no file tool reads or changes anything outside while another process swaps its folder for a link a thousand times', async () => {
  const tools = fileTools({ root, write: 'allow' })
  const script = fileURLToPath(new URL('processes/swap-folder.ts', import.meta.url))
  const swapper = fork(script, [join(root, 'inner'), outside])
  const ended = once(swapper, 'exit')
  let swaps = 0
  swapper.on('message', (count) => (swaps = Number(count)))
  const seen: string[] = []
  let writes = 0
  const isEnough = () => swaps >= 1_000 && writes >= 5 && seen.filter((text) => text === 'ours').length >= 5
  while (!isEnough()) {
    const results = await Promise.all([
      callTool(tools, 'read_file', { path: 'inner/a.txt' }),
      callTool(tools, 'read_file', { path: 'inner/deep/b.txt' }),
      callTool(tools, 'list_files', { path: 'inner', recursive: true }),
      callTool(tools, 'search_files', { query: 'SECRET' }),
      callTool(tools, 'write_file', { path: 'inner/deep/w.txt', content: `${writes}` }),
      callTool(tools, 'write_file', { path: `inner/new${writes % 5}/w.txt`, content: `${writes}` }),
      callTool(tools, 'write_file', { path: 'inner/a.txt', content: 'ours' }),
      callTool(tools, 'edit_file', { path: 'inner/a.txt', edits: [{ oldText: 'SECRET', newText: 'edited' }] }),
    ])
    if (results[4]?.status === undefined) writes++
    seen.push(...results.map(textOf))
  }
  swapper.disconnect()
  expect(await ended).toEqual([0, null])
  expect(seen.filter((text) => text.startsWith('SECRET') || text.includes(': SECRET'))).toEqual([])
  expect(await readdir(outside, { recursive: true }).then((names) => names.toSorted())).toEqual([
    'a.txt',
    'deep',
    'deep/b.txt',
  ])
  expect(await readFile(join(outside, 'a.txt'), 'utf8')).toBe('SECRET')
}, 60_000)
