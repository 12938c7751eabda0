import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { currentOwner, isDeadHere } from '../../../src/core/domain/owner.ts'
import { startChild } from './child.ts'
import { deadOwner } from '../../../proof/support/dead-owner.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('CKP-05 this process is alive under any owner id', () => {
  expect(currentOwner('a')).toEqual({ ...currentOwner('b'), id: 'a' })
  expect(currentOwner('a').pid).toBe(process.pid)
  expect(isDeadHere(currentOwner('a'))).toBe(false)
  expect(isDeadHere({ ...currentOwner('a'), pidStart: '' })).toBe(false)
})

test('CKP-05 a process that has ended is dead', () => {
  expect(isDeadHere(deadOwner('a'))).toBe(true)
  expect(isDeadHere({ ...deadOwner('a'), pidStart: '' })).toBe(true)
})

test.runIf(process.platform === 'linux')('CKP-05 a process whose id another process has now is dead', () => {
  expect(currentOwner('a').pidStart).toMatch(/^\d+$/)
  expect(isDeadHere({ ...currentOwner('a'), pidStart: '1' })).toBe(true)
})

test('CKP-05 another process is alive until it is killed', async () => {
  using folder = temporaryFolder()
  const child = startChild('hold-lease', folder.file('runs.db'), 'run')
  await child.line()
  const owner = { ...currentOwner('a'), pid: child.pid, pidStart: '' }
  expect(isDeadHere(owner)).toBe(false)
  await child.kill()
  expect(isDeadHere(owner)).toBe(true)
})

test.runIf(process.platform === 'linux')('CKP-05 a process that has ended and not been reaped is dead', async () => {
  // The shell becomes a program that waits for no children, so the one it started is left a zombie.
  const shell = spawn('sh', ['-c', 'tail -f /dev/null & echo $!; exec tail -f /dev/null'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => {
    shell.kill('SIGKILL')
  })
  const [line] = await once(createInterface({ input: shell.stdout }), 'line')
  await expect.poll(() => readFileSync(`/proc/${shell.pid}/comm`, 'utf8'), { timeout: 5000 }).toBe('tail\n')
  const owner = { ...currentOwner('a'), pid: Number(line), pidStart: '' }
  expect(isDeadHere(owner)).toBe(false)
  process.kill(owner.pid, 'SIGKILL')
  await expect.poll(() => isDeadHere(owner), { timeout: 5000 }).toBe(true)
  expect(process.kill(owner.pid, 0)).toBe(true)
})

test('CKP-05 does not declare a process dead that cannot be looked up', () => {
  expect(isDeadHere({ ...deadOwner('a'), host: 'elsewhere' })).toBe(false)
  for (const pid of [0, -1, -4_000_000, 1.5, Number.NaN]) expect(isDeadHere({ ...deadOwner('a'), pid })).toBe(false)
})
