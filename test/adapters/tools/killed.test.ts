import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { bubblewrap } from '../../../src/adapters/tools/shell.ts'

const missing = await bubblewrap().check()
const script = fileURLToPath(new URL('processes/change-forever.ts', import.meta.url))

/** Starts the script, and kills it some milliseconds into the turn that is told last. */
async function killIn(root: string, what: string, isTime: (turns: number) => boolean, ms: number): Promise<void> {
  const child = fork(script, [root, what])
  const ended = once(child, 'exit')
  for (let turns = 1; ; turns++) {
    await once(child, 'message')
    if (isTime(turns)) break
  }
  await pause(ms)
  child.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
}

test.each(['write', 'edit'])(
  'TOOL-02 TST-03 a process killed in the middle of a %s leaves the complete old or new file',
  async (what) => {
    const root = await temporaryFolder()
    const seen = new Set<string>()
    for (let kill = 0; kill < 4; kill++) {
      await writeFile(join(root, 'file'), 'a'.repeat(1_000_000))
      await killIn(root, what, (turns) => turns > kill % 3, kill)
      const content = await readFile(join(root, 'file'), 'utf8')
      expect(content).toHaveLength(1_000_000)
      const [first = ''] = content
      expect(content === first.repeat(1_000_000)).toBe(true)
      seen.add(first)
    }
    expect([...seen].every((letter) => 'ab'.includes(letter))).toBe(true)
  },
  60_000,
)

test.skipIf(missing !== undefined)(
  'TOOL-03 TST-03 a command in the box ends when its process is killed',
  async () => {
    const root = await temporaryFolder()
    const beat = join(root, 'beat')
    await killIn(root, 'shell', () => existsSync(beat), 0)
    await expect
      .poll(async () => {
        await writeFile(beat, '')
        await pause(200)
        return readFile(beat, 'utf8')
      })
      .toBe('')
  },
  30_000,
)
