import { spawnSync } from 'node:child_process'
import { currentOwner, type Owner } from '../../src/core/domain/owner.ts'

const { pid } = spawnSync(process.execPath, ['--version'])

/** An owner whose process, a real one, has ended. */
export function deadOwner(id: string): Owner {
  return { ...currentOwner(id), pid, pidStart: '1' }
}
