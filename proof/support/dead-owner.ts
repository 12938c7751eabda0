import { spawnSync } from 'node:child_process'
import type { Owner } from '../../src/ports/store.ts'
import { currentOwner } from '../../src/stores/rows/lease-rules.ts'

const { pid } = spawnSync(process.execPath, ['--version'])

/** An owner whose process, a real one, has ended. */
export function deadOwner(id: string): Owner {
  return { ...currentOwner(id), pid, pidStart: '1' }
}
