import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { chmod, mkdir, open, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { attach } from '../../../src/adapters/tools/default-tools.ts'
import { UsageError } from '../../../src/core/domain/text/usage-error.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

let root: string

beforeEach(async () => {
  root = await temporaryFolder()
})

async function refusal(name: string): Promise<string> {
  const error: unknown = await attach(join(root, name)).catch((thrown: unknown) => thrown)
  if (!(error instanceof UsageError) || error.code !== 'bad_prompt') throw new Error(`No refusal: ${String(error)}`)
  return error.message.replaceAll(root, '')
}

test('PRV-11 attaches a PDF, a picture and a text by their contents', async () => {
  await writeFile(join(root, 'a.bin'), '%PDF-1.7')
  await writeFile(join(root, 'b.pdf'), Buffer.from('iVBORw0KGgo=', 'base64'))
  await writeFile(join(root, 'c.csv'), 'a,b')
  expect(await attach(join(root, 'a.bin'), { name: 'x/report.pdf' })).toEqual({
    type: 'file',
    data: 'JVBERi0xLjc=',
    mediaType: 'application/pdf',
    name: 'report.pdf',
  })
  expect(await attach(join(root, 'b.pdf'))).toEqual({ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' })
  expect(await attach(join(root, 'c.csv'))).toEqual({ type: 'text', text: '[File "c.csv"]\na,b' })
})

test('PRV-11 refuses a path that is no file, an empty file, and a file whose type differs from its name', async () => {
  await mkdir(join(root, 'folder'))
  execFileSync('mkfifo', [join(root, 'pipe')])
  await writeFile(join(root, 'empty.pdf'), '')
  await writeFile(join(root, 'zip.pdf'), 'PK\u0003\u0004')
  await writeFile(join(root, 'x'), Buffer.from([0, 1, 2]))
  const wish = 'Give the path of another one.'
  expect(await refusal('none')).toBe(`The file "/none" is refused: it cannot be opened: ENOENT. ${wish}`)
  expect(await refusal('folder')).toBe(`The file "/folder" is refused: it is not a regular file. ${wish}`)
  expect(await refusal('pipe')).toBe(`The file "/pipe" is refused: it is not a regular file. ${wish}`)
  expect(await refusal('empty.pdf')).toBe(`The file "/empty.pdf" is refused: it is empty. ${wish}`)
  expect(await refusal('zip.pdf')).toContain('it says application/pdf, and its bytes are a ZIP archive')
  expect(await refusal('x')).toContain('its type is unknown, and it is not UTF-8 text')
})

test('PRV-11 does not read a file of 500 MB, sparse or not', async () => {
  await writeFile(join(root, 'large.pdf'), '%PDF-1.7')
  await truncate(join(root, 'large.pdf'), 500_000_000)
  const before = process.memoryUsage().arrayBuffers
  expect(await refusal('large.pdf')).toContain('it has 500000000 bytes, and at most 32000000 are kept')
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30_000_000)
})

test('PRV-11 refuses a file that grows while it is read', async () => {
  const path = join(root, 'log.txt')
  await writeFile(path, 'a line\n')
  const handle = await open(path)
  const prototype = Object.getPrototypeOf(handle) as typeof handle
  await handle.close()
  const { stat } = prototype
  using _ = vi.spyOn(prototype, 'stat').mockImplementation(async function (this: typeof handle) {
    const stats = await Reflect.apply(stat, this, [])
    appendFileSync(path, 'another line\n')
    return stats
  })
  expect(await refusal('log.txt')).toContain('it grew while it was read')
})

test('PRV-11 refuses a file that this process may not read', async () => {
  await writeFile(join(root, 'secret.txt'), 'x')
  await chmod(join(root, 'secret.txt'), 0o000)
  const module = new URL('../../../src/adapters/tools/attach.ts', import.meta.url).href
  const script = `const { attach } = await import(${JSON.stringify(module)})
    if (process.getuid() === 0) process.setuid(65534)
    await attach(${JSON.stringify(join(root, 'secret.txt'))}).catch((error) => console.log(error.message))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 30_000,
  })
  expect(said).toContain('it cannot be opened: EACCES')
})
