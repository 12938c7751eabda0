import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ToolContext, ToolResult } from '../../../src/core/ports/tool.ts'
import { ManualClock } from '../../../src/testing/crash/crash-environment.ts'
import { outputLimit } from '../../../src/adapters/tools/captured-output.ts'
import { shellTool, type ShellOptions, unconfined } from '../../../src/adapters/tools/shell.ts'
import { callTool, textOf } from './call-tool.ts'
import { markedProcesses } from './marked-processes.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

let root: string

beforeEach(async () => {
  root = await temporaryFolder()
})

afterEach(() => {
  const left = markedProcesses()
  if (left.length > 0) throw new Error(`Left running: ${left.join('; ')}`)
})

const tool = (more: Partial<ShellOptions> = {}) => shellTool({ root, sandbox: unconfined(), ...more })
const run = (command: string, given: object = {}, options: Parameters<typeof callTool>[3] = {}) =>
  callTool([tool()], 'shell', { command, ...given }, options)

/** The result without what differs from one machine to the next. */
const shape = ({ details, ...rest }: ToolResult) => ({ ...rest, details: { ...Object(details), durationMs: 0 } })
const details = { exitCode: 0, signal: null, durationMs: 0, isTimedOut: false, sandbox: 'unconfined' }

test('TOOL-02 asks once before it runs, unless configured otherwise', () => {
  expect(tool()).toMatchObject({ name: 'shell', label: 'Shell', needs: 'approval', effects: 'once' })
  expect(tool({ run: 'allow' })).not.toHaveProperty('needs')
})

describe('results', () => {
  test('TOOL-02 returns both streams, the exit code and the duration', async () => {
    expect(shape(await run('echo out; echo err >&2'))).toEqual({
      content: [
        { type: 'text', text: 'out\n' },
        { type: 'text', text: '[stderr]\nerr\n' },
      ],
      status: 'success',
      details: { ...details, stdoutBytes: 4, stderrBytes: 4 },
    })
  })

  test('TOOL-02 reports that there was no output', async () => {
    expect(textOf(await run('true'))).toBe('[No output.]')
  })

  test('TOOL-02 treats a non-zero exit code as a warning, not an error', async () => {
    expect(shape(await run('echo no; exit 3'))).toEqual({
      content: [
        { type: 'text', text: 'no\n' },
        { type: 'text', text: '[Exit code 3.]' },
      ],
      status: 'warning',
      details: { ...details, exitCode: 3, stdoutBytes: 3, stderrBytes: 0 },
    })
  })

  test('TOOL-02 names the signal that ended a command', async () => {
    expect(await run('kill -9 $$')).toMatchObject({
      content: [{ text: '[Ended by SIGKILL.]' }],
      status: 'warning',
      details: { exitCode: null, signal: 'SIGKILL' },
    })
  })

  test('TOOL-02 streams output as updates', async () => {
    const updates: Parameters<ToolContext['update']>[0][] = []
    await run('echo one; sleep 0.2; echo two >&2', {}, { update: (partial) => updates.push(partial) })
    expect(updates).toEqual([
      { content: [{ type: 'text', text: 'one\n' }], details: { stream: 'stdout' } },
      { content: [{ type: 'text', text: 'two\n' }], details: { stream: 'stderr' } },
    ])
  })

  test('TOOL-02 cuts each stream while reading and reports it', async () => {
    const updates: string[] = []
    const result = await run(
      `head -c ${outputLimit + 1} /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero | tr '\\0' y >&2`,
      {},
      { update: (partial) => updates.push(JSON.stringify(partial)) },
    )
    expect(result.status).toBe('warning')
    expect(result.content.map((block) => (block.type === 'text' ? block.text.length : 0))).toEqual([
      outputLimit,
      outputLimit + '[stderr]\n'.length,
      expect.any(Number),
      expect.any(Number),
    ])
    expect(textOf(result)).toContain(`[stdout cut: the first ${outputLimit} of ${outputLimit + 1} bytes are kept.`)
    expect(textOf(result)).toContain(`[stderr cut: the first ${outputLimit} of 3000000 bytes are kept.`)
    expect(updates.join('').match(/[xy]{100}/g)?.length).toBeLessThanOrEqual((2 * outputLimit) / 100)
  })

  test('TOOL-02 shows binary output as text, whole characters only', async () => {
    expect(textOf(await run(String.raw`printf 'a\xff\x00b\xe2\x82'; printf '\xac'`))).toBe('a\uFFFD\0b€')
  })
})

describe('ends', () => {
  test('TOOL-02 ends a command at its time limit with an error that contains Timeout, and keeps its output', async () => {
    const result = await run('echo begun; sleep 60', { timeoutSeconds: 1 })
    expect(result).toMatchObject({ status: 'error', details: { isTimedOut: true } })
    expect(textOf(result)).toBe('begun\n\n[Timeout: ended after 1000 ms. Ask for more time, or for less work.]')
  })

  test('TOOL-02 kills a command that ignores the request to end', async () => {
    const sandbox = unconfined()
    const stubborn = shellTool({ root, sandbox, timeoutMs: 200 })
    const result = await callTool([stubborn], 'shell', { command: 'trap "" TERM; while true; do sleep 1; done' })
    expect(result).toMatchObject({ status: 'error', details: { signal: 'SIGKILL', isTimedOut: true } })
  })

  test('TOOL-02 ends endless output at its time limit', async () => {
    const endless = shellTool({ root, sandbox: unconfined(), timeoutMs: 300 })
    const result = await callTool([endless], 'shell', { command: 'yes' })
    expect(result).toMatchObject({ status: 'error', details: { isTimedOut: true } })
    expect(textOf(result).length).toBeLessThan(outputLimit + 300)
  })

  test('TOOL-02 ends the whole process group when it is cancelled', async () => {
    const cancel = new AbortController()
    const update = () => cancel.abort()
    const result = await run('sleep 60 & sleep 61 & echo started; wait', {}, { signal: cancel.signal, update })
    expect(result).toMatchObject({ details: { isTimedOut: false } })
  })

  test('TOOL-02 runs nothing after it is cancelled', async () => {
    expect(textOf(await run('touch made', {}, { signal: AbortSignal.abort() }))).toContain('cancelled')
    await expect(readFile(join(root, 'made'))).rejects.toThrow('ENOENT')
  })

  test('TOOL-02 ends with the command, not with background processes that keep its output open', async () => {
    expect(textOf(await run('sleep 60 & echo done'))).toBe('done\n')
  })

  test.each([
    ['leaves its group', 'setsid sleep 60 > /dev/null 2>&1 &'],
    ['daemonises', '(setsid bash -c "setsid sleep 60 & setsid sleep 61 & sleep 62" > /dev/null 2>&1 &) ; sleep 0.1;'],
  ])('TOOL-02 leaves no process behind that %s', async (_what, command) => {
    expect(textOf(await run(`${command} echo done`))).toBe('done\n')
    expect(markedProcesses()).toEqual([])
  })
})

describe('the environment of a command', () => {
  const environment = { PATH: process.env['PATH'], HOME: '/nowhere', LANG: 'C', OTHER: 'x', API_KEY: 'sk-12345678' }

  test('TOOL-03 passes on a few variables and those named', async () => {
    const plain = shellTool({ root, sandbox: unconfined(), environment })
    const named = shellTool({ root, sandbox: unconfined(), environment, variables: ['OTHER', 'API_KEY', 'ABSENT'] })
    const names = async (one: typeof plain) =>
      textOf(await callTool([one], 'shell', { command: 'env' }))
        .split('\n')
        .filter((line) => !/^(PWD|SHLVL|_|STATEWRIGHT_SHELL|PATH)=|^$/.test(line))
        .toSorted()
    expect(await names(plain)).toEqual(['HOME=/nowhere', 'LANG=C'])
    expect(await names(named)).toEqual(['API_KEY=[secret API_KEY]', 'HOME=/nowhere', 'LANG=C', 'OTHER=x'])
  })

  test('TOOL-03 masks a secret in results and updates, also when it arrives in two pieces', async () => {
    const updates: unknown[] = []
    const shell = shellTool({ root, sandbox: unconfined(), environment })
    const command = 'printf "key: sk-12"; sleep 0.2; printf "345678."'
    const result = await callTool([shell], 'shell', { command }, { update: (partial) => updates.push(partial) })
    expect(textOf(result)).toBe('key: [secret API_KEY].')
    expect(JSON.stringify(updates)).not.toContain('345678')
  })

  test('TOOL-02 gives a command no input', async () => {
    expect(textOf(await run('cat; echo end'))).toBe('end\n')
  })

  test('TOOL-02 runs in the root or a folder in it', async () => {
    await mkdir(join(root, 'inner'))
    expect(textOf(await run('pwd'))).toBe(`${root}\n`)
    expect(textOf(await run('pwd', { folder: 'inner' }))).toBe(`${root}/inner\n`)
  })

  test('TOOL-03 refuses a working folder outside, missing, or a file', async () => {
    await symlink('/etc', join(root, 'link'))
    await writeFile(join(root, 'file'), '')
    expect(textOf(await run('pwd', { folder: '..' }))).toContain('outside the root folder')
    expect(textOf(await run('pwd', { folder: 'link' }))).toContain('outside the root folder')
    expect(textOf(await run('pwd', { folder: 'missing' }))).toContain('no such file or folder')
    expect(textOf(await run('pwd', { folder: 'file' }))).toContain('a part of this path is a file')
  })

  test('TOOL-03 starts in the folder that was checked, even if another is put in its place', async () => {
    await mkdir(join(root, 'inner'))
    const sandbox = unconfined()
    const shell = shellTool({
      root,
      sandbox: {
        ...sandbox,
        check: async () => {
          await rename(join(root, 'inner'), join(root, 'away'))
          await symlink('/etc', join(root, 'inner'))
          return undefined
        },
      },
    })
    expect(textOf(await callTool([shell], 'shell', { command: 'pwd', folder: 'inner' }))).toBe(`${root}/away\n`)
  })
})

describe('commands that are not run', () => {
  test.each([
    ['rm -rf /', 'rm -rf /'],
    ['cd x && rm -rf /*', 'rm -rf /'],
    ['rm -rf / --no-preserve-root', 'rm -rf /'],
    ['mkfs.ext4 /dev/sda', 'mkfs'],
    ['dd if=/dev/zero of=x', 'dd if='],
    [':(){:|:&};:', ':(){:|:&};:'],
  ])("TOOL-02 blocks %j with the policy's words", async (command, found) => {
    expect(await run(command)).toEqual({
      content: [{ type: 'text', text: `Command blocked by safety policy: contains '${found}'.` }],
      status: 'error',
    })
  })

  test("TOOL-02 does not block the command's own folder", async () => {
    await mkdir(join(root, 'made'))
    expect(textOf(await run(`rm -rf ${root}/made`))).toBe('[No output.]')
  })

  test('TOOL-03 refuses a NUL character and a command of 1 MB', async () => {
    expect(textOf(await run('echo a\0b'))).toContain('contains a NUL character')
    expect(textOf(await run(`echo ${'x'.repeat(1_000_000)}`))).toBe(
      'The command has 1000005 bytes; at most 100000 are allowed. Write a script with write_file and run that.',
    )
  })

  test('TOOL-03 reads no arguments from a prototype', async () => {
    const given: unknown = JSON.parse('{"command":"echo hi","__proto__":{"folder":"/etc","timeoutSeconds":1}}')
    expect(textOf(await callTool([tool()], 'shell', given))).toBe('hi\n')
  })

  test('TOOL-03 warns once, on first use, that unconfined is no boundary', async () => {
    const told: string[] = []
    const shell = tool()
    const progress = (text: string) => told.push(text)
    await callTool([shell], 'shell', { command: 'true' }, { progress })
    await callTool([shell], 'shell', { command: 'true' }, { progress })
    expect(told).toEqual(['Commands run unconfined: they may read and change whatever this process may.'])
  })

  test('TOOL-03 runs nothing if its sandbox is missing, and explains how to install it', async () => {
    const missing = { ...unconfined(), name: 'box', check: async () => 'No box. Install one.' }
    const shell = shellTool({ root, sandbox: missing })
    expect(await callTool([shell], 'shell', { command: 'touch made' })).toEqual({
      content: [{ type: 'text', text: 'No box. Install one.' }],
      status: 'error',
    })
    await expect(readFile(join(root, 'made'))).rejects.toThrow('ENOENT')
  })

  test('TOOL-02 names the program that could not be started', async () => {
    const broken = {
      ...unconfined(),
      wrap: () => ({ program: '/nowhere/bash', parameters: [], environment: {}, entersFolder: false }),
    }
    const shell = shellTool({ root, sandbox: broken })
    expect(textOf(await callTool([shell], 'shell', { command: 'true' }))).toBe(
      '"/nowhere/bash" could not be started: ENOENT. Tell the user to install it.',
    )
  })
})

test('TOOL-02 fails a call after 5 s if its remote command ignores the request to end', async () => {
  const clock = new ManualClock()
  const asked = Promise.withResolvers<void>()
  const sandbox: ShellOptions['sandbox'] = {
    ...unconfined(),
    run: (_, { signal }) => {
      signal.addEventListener('abort', () => asked.resolve())
      clock.advance(1_000)
      return new Promise<never>(() => undefined)
    },
  }
  const failed = callTool([tool({ sandbox, clock, timeoutMs: 1_000 })], 'shell', { command: 'sleep 9' })
  await asked.promise
  clock.advance(5_000)
  const text = 'The command was asked to end, and was still running 5000 ms later.'
  expect(await failed).toEqual({ content: [{ type: 'text', text }], status: 'error' })
})

test('TOOL-02 starts no command elsewhere for a call that is cancelled while its sandbox is checked', async () => {
  const cancel = new AbortController()
  const check = async (): Promise<undefined> => {
    cancel.abort()
  }
  const sandbox = { ...unconfined(), check, run: () => Promise.reject(new Error('was run')) }
  const result = await callTool([tool({ sandbox })], 'shell', { command: 'true' }, { signal: cancel.signal })
  expect(textOf(result)).toBe('".": cancelled before it was done.')
})
