import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../proof/support/temporary-folder.ts'
import { withMentionedFiles } from '../../../../src/apps/cli/chat/mentioned-files.ts'

test('CLI-01 does not send a prompt that mentions a missing file', async () => {
  const cwd = await temporaryFolder()
  await writeFile(join(cwd, 'there.txt'), 'text')
  expect(await withMentionedFiles('Look at @there.txt, please', cwd)).toMatchObject({ role: 'user' })
  for (const path of ['nope.txt', 'sub/nope', './nope'])
    await expect(withMentionedFiles(`Look at @${path}.`, cwd)).rejects.toMatchObject({ code: 'no_such_file' })
  for (const prompt of ['Ask @ada about it', 'Mail a@b.c']) expect(await withMentionedFiles(prompt, cwd)).toBe(prompt)
})
