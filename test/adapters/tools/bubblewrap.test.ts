import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { bubblewrap, type BubblewrapOptions, shellTool } from '../../../src/adapters/tools/shell.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { callTool, textOf } from './call-tool.ts'
import { markedProcesses } from './marked-processes.ts'

const missing = await bubblewrap().check()
let root: string

beforeEach(async () => {
  root = join(await temporaryFolder(), 'root')
  await mkdir(root)
})

const run = (command: string, options: BubblewrapOptions = {}) =>
  callTool([shellTool({ root, sandbox: bubblewrap(options) })], 'shell', { command })

test('TOOL-03 an error about a missing box names the command that installs it, and nothing runs', async () => {
  const result = await run('touch made', { program: 'no-such-bwrap' })
  expect(result.status).toBe('error')
  expect(textOf(result)).toBe(
    'The sandbox "bubblewrap" needs the program "no-such-bwrap", which was not found. Install it: apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), pacman -S bubblewrap (Arch).',
  )
  await expect(stat(join(root, 'made'))).rejects.toThrow('ENOENT')
})

describe.skipIf(missing !== undefined)(`in the box${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  test('TOOL-03 home and temporary folders exist, are empty, and disappear with the command', async () => {
    const result = await run('echo x > ~/x; echo y > /tmp/y; cat ~/x /tmp/y; ls -A ~ /tmp | grep -c .')
    expect(textOf(result)).toMatch(/^x\ny\n/)
    expect(textOf(await run('cat ~/x /tmp/y 2>/dev/null'))).toBe('[Exit code 1.]')
  })

  test('TOOL-03 folders can be made readable without being writable', async () => {
    const more = join(dirname(root), 'more')
    await mkdir(more)
    await writeFile(join(more, 'file'), 'readable\n')
    const command = `cat ${more}/file; echo x > ${more}/file`
    expect(textOf(await run(command, { readable: [more] }))).toContain('readable\n')
    expect(await readFile(join(more, 'file'), 'utf8')).toBe('readable\n')
    expect(textOf(await run(command))).not.toContain('readable\n')
  })

  test('TOOL-03 refuses a command if git hooks cannot be protected', async () => {
    await mkdir(join(root, '.git'))
    await symlink('/etc', join(root, '.git/hooks'))
    expect(await run('touch made')).toEqual({
      content: [
        {
          type: 'text',
          text: 'The command was not run: ".git/hooks" in the root is not a folder, so that git would run what a command writes. Ask the user to change that, then run the command.',
        },
      ],
      status: 'error',
    })
  })

  test('TOOL-03 no call can make a file set-uid', async () => {
    const python = 'import os; os.close(os.open("b", os.O_CREAT | os.O_WRONLY, 0o4755)); os.mknod("c", 0o104755)'
    const { content } = await run(
      `cp /bin/true a; chmod 4755 a; chmod 755 a; install -m 4755 a d; python3 -c '${python}'`,
    )
    expect(textOf({ content })).toContain("changing permissions of 'a': Operation not permitted")
    for (const name of ['a', 'b', 'c', 'd']) {
      const stats = await stat(join(root, name)).catch(() => undefined)
      expect(stats === undefined ? 0 : stats.mode & 0o4000).toBe(0)
    }
    expect((await stat(join(root, 'a'))).mode & 0o777).toBe(0o755)
  })

  test('TOOL-03 the network is available only if it is allowed', async () => {
    expect(textOf(await run('grep -c : /proc/net/dev'))).toBe('1\n')
    const [inside, outside] = [
      await run('cat /proc/net/dev', { network: 'allow' }),
      await readFile('/proc/net/dev', 'utf8'),
    ]
    expect(textOf(inside).split('\n').length).toBe(outside.split('\n').length)
  })

  test('TOOL-02 a time-out ends the box with everything in it', async () => {
    const shell = shellTool({ root, sandbox: bubblewrap(), timeoutMs: 500 })
    const command = 'trap "" TERM; env -i setsid sleep 60 & while true; do sleep 1; done'
    expect(await callTool([shell], 'shell', { command })).toMatchObject({
      status: 'error',
      details: { isTimedOut: true, sandbox: 'bubblewrap' },
    })
    expect(markedProcesses()).toEqual([])
  })

  test('TOOL-03 limits apply to an unprivileged user: a fork bomb, a large file, much memory, full folders', async () => {
    await chmod(dirname(root), 0o755)
    await chmod(root, 0o777)
    const bomb = 'bomb() { bomb | bomb & wait; }; bomb; echo over'
    const script = fileURLToPath(new URL('perform-boxed.ts', import.meta.url))
    const commands = [
      bomb,
      'head -c 2000000 /dev/zero > large; stat -c %s large',
      'bash -c \'x=$(head -c 300000000 /dev/zero | tr "\\0" x); echo ${#x}\'; echo $?',
      'head -c 600000000 /dev/zero > /dev/shm/full; echo $?',
    ]
    const { stdout } = await promisify(execFile)(process.execPath, [script, root, ...commands])
    const [bombed, large, memory, full] = JSON.parse(stdout).map(textOf)
    expect(bombed).toMatch(/Resource temporarily unavailable|Timeout/)
    expect(large).toContain('1000000\n')
    expect(memory).not.toContain('300000000')
    expect(full).not.toMatch(/^0\n/)
    expect(markedProcesses()).toEqual([])
  }, 30_000)
})
