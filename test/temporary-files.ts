import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { answersSignals } from '../src/core/domain/this-process.ts'

const inMemory = '/dev/shm'
const prefix = 'statewright-tests-'
const neededBytes = 4_000_000_000

/**
 * Temporary files of tests lie in memory where the machine has room for it: tests write thousands of stores, and what is
 * synchronised with a disk costs them a tenth of their time. What a power cut leaves is not among what they can prove.
 */
export function setup({ config }: TestProject): (() => void) | undefined {
  // Tests that run tests hand their own folder on.
  if (!existsSync(inMemory) || tmpdir().startsWith(inMemory) || bytesFree() < neededBytes) return undefined
  for (const name of readdirSync(inMemory)) if (isLeft(name)) rmSync(join(inMemory, name), { recursive: true })
  const folder = join(inMemory, `${prefix}${process.pid}`)
  mkdirSync(folder)
  // As in any folder for temporary files, other users may write: a database of a test is not run as root.
  chmodSync(folder, 0o1777)
  config.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Whether a folder is that of a test run that was killed: memory would hold it until the machine is started anew. */
function isLeft(name: string): boolean {
  return name.startsWith(prefix) && !answersSignals(Number(name.slice(prefix.length)))
}

function bytesFree(): number {
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize
}
