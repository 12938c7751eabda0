import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call } from './command.ts'

test('CLI-01 studio reports what it cannot serve: no store, a foreign one, an invalid port or module', async () => {
  const cwd = await temporaryFolder()
  const refused = async (...given: readonly string[]) => {
    const { code, out, err } = await call(['studio', ...given], { cwd })
    return [code, out, err.split('\n')[0]]
  }
  expect(await refused()).toEqual([4, '', expect.stringContaining('There is no store at')])
  await writeFile(
    join(cwd, 'other.db'),
    'This is not a store at all, but a text that is long enough to be read as one.'.repeat(20),
  )
  expect(await refused('--store', 'other.db')).toEqual([4, '', expect.stringContaining('other.db')])
  await call(['run', 'Look around', '--model', 'scripted'], { cwd })
  expect(await refused('--port', '70000')).toEqual([2, '', expect.stringContaining('--port is "70000"')])
  expect(await refused('--agents', 'none.ts')).toEqual([2, '', expect.stringContaining('There is no module')])
  await writeFile(join(cwd, 'empty.mjs'), 'export const agents = (store) => [store]\n')
  expect(await refused('--agents', 'empty.mjs')).toEqual([2, '', expect.stringContaining('exports no agent')])
  expect(await refused('--full')).toEqual([2, '', expect.stringContaining('--full does not belong to "studio"')])
})

test('CLI-01 studio from a checkout asks for the page to be built', async () => {
  const cwd = await temporaryFolder()
  await call(['run', 'Look around', '--model', 'scripted'], { cwd })
  const { code, err } = await call(['studio'], { cwd })
  expect([code, err]).toEqual([4, expect.stringContaining('npm run build')])
})
