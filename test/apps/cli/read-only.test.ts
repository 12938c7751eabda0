import { execFile } from 'node:child_process'
import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, type Called, runIdIn } from './command.ts'
import { killedRun } from './killed-run.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
})

/** Calls the command line in a process whom file permissions bind, even where the tests run as root. */
async function callUnprivileged(argv: readonly string[]): Promise<Called> {
  const script = fileURLToPath(new URL('call-unprivileged.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, cwd, ...argv])
  return JSON.parse(stdout) as Called
}

/** Everything can be read and nothing changed. */
async function makeReadOnly(): Promise<void> {
  const folder = join(cwd, '.statewright')
  for (const name of await readdir(folder)) await chmod(join(folder, name), 0o444)
  await chmod(cwd, 0o755)
  await chmod(folder, 0o555)
  onTestFinished(() => chmod(folder, 0o700))
}

test('CLI-01 CKP-09 shows and lists the runs of a read-only store, and refuses to write with a reason', async () => {
  const run = runIdIn(await call(['run', 'Look around', '--model', 'scripted'], { cwd }))
  const shown = await call(['show', run], { cwd })
  const listed = await call(['runs'], { cwd })
  await makeReadOnly()

  expect(await callUnprivileged(['show', run])).toEqual(shown)
  expect(await callUnprivileged(['runs'])).toEqual(listed)
  const refused = await callUnprivileged(['deny', run, '--no-drive'])
  expect(refused.err).toContain('cannot be written to. Check the permissions of the file and of its folder.')
  expect(refused.code).toBe(4)
  expect(await readdir(join(cwd, '.statewright'))).toEqual(['.gitignore', 'runs.db'])
})

test('CLI-01 CKP-09 shows what a killed process left in the log of a read-only store', async () => {
  const run = await killedRun(cwd)
  await makeReadOnly()
  const shown = await callUnprivileged(['show', run])
  expect(shown.err).toBe('')
  expect(shown.out).toContain(`run ${run} stopped`)
})

test('CKP-06 CLI-01 creates a store that only its owner can read', async () => {
  const run = await killedRun(cwd)
  expect(run).not.toBe('')
  const folder = join(cwd, '.statewright')
  const modes = await Promise.all(
    (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).mode & 0o777),
  )
  expect(modes).toEqual([0o600, 0o600, 0o600])
})
