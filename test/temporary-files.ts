import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

const inMemory = '/dev/shm'
const neededBytes = 4_000_000_000

/**
 * Temporary files of tests lie in memory where the machine has room for it: tests write thousands of stores, and what is
 * synchronised with a disk costs them a tenth of their time. What a power cut leaves is not among what they can prove.
 */
export function setup({ config }: TestProject): (() => void) | undefined {
  if (!existsSync(inMemory) || bytesFree() < neededBytes) return undefined
  const folder = mkdtempSync(join(inMemory, 'statewright-tests-'))
  // As in any folder for temporary files, other users may write: a database of a test is not run as root.
  chmodSync(folder, 0o1777)
  config.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

function bytesFree(): number {
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize
}
