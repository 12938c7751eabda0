import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'
import { readPermissions } from '../../src/cli/read-permissions.ts'

async function rootWith(text: string): Promise<string> {
  const root = await temporaryFolder()
  await mkdir(join(root, '.statewright'))
  await writeFile(join(root, '.statewright', 'permissions.json'), text)
  return root
}

test('PERM-05 the command line reads its rules, and has none without a file', async () => {
  expect(readPermissions(await rootWith('{"deny":["shell"]}'))).toEqual({ rules: { deny: ['shell'] } })
  expect(readPermissions(await temporaryFolder())).toBeUndefined()
})

test.each(['', '{', '[]', 'null', '5', `"${'x'.repeat(1_000_000)}"`])(
  'PERM-05 a file of rules that cannot be read is an error, never no rules: %#',
  async (text) => {
    const root = await rootWith(text)
    expect(() => readPermissions(root)).toThrow(expect.objectContaining({ code: 'bad_permissions', exitCode: 2 }))
  },
)
