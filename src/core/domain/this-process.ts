import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

const initialPidNamespace = 'pid:[4026531836]'

/** The number of this process. */
export const ownPid = process.pid

/** False where no process of this host has the number. */
export function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** Start time in clock ticks since boot, where the host tells it; a zombie has ended. */
export function startOf(pid: number): { readonly start: string; readonly ended: boolean } | undefined {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The second field, the program's name, may hold blanks and parentheses: count from its end.
  const [state, ...later] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  const start = later[18]
  return start === undefined ? undefined : { start, ended: state === 'Z' || state === 'X' }
}

/** Containers may share a host name but not process ids, so the name holds the namespace of the ids. */
export function hostName(): string {
  const namespace = textOf(() => readlinkSync('/proc/self/ns/pid'))
  return namespace === undefined || namespace === initialPidNamespace ? hostname() : `${hostname()}/${namespace}`
}

function textOf(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
