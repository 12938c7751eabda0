import { fork } from 'node:child_process'
import type { Measured } from './measure-workload.ts'
import type { Told } from './play-workload.ts'

/**
 * Plays one workload in a process of its own, so that its figures do not depend on what was played before; at most so
 * many rounds where `rounds` is given.
 */
export function startWorkload(
  name: string,
  rounds: string | undefined,
  tell: (progress: string) => void,
): Promise<readonly Measured[]> {
  const program = new URL('play-workload.ts', import.meta.url)
  const child = fork(program, rounds === undefined ? [name] : [name, rounds])
  return new Promise((resolve, reject) => {
    let results: readonly Measured[] | undefined
    child.on('message', (told: Told) => {
      if ('progress' in told) tell(told.progress)
      else results = told.results
    })
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      if (results !== undefined && code === 0) resolve(results)
      else reject(new Error(`The workload "${name}" ended with ${signal ?? `code ${code}`} before it was measured.`))
    })
  })
}
