import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorCode } from './file-failure.ts'

/** Returns the number of a process group for a signal. Windows has no groups, so there it is only the process. */
export function groupOf(leader: number): number {
  return process.platform === 'win32' ? leader : -leader
}

/** Sends a signal to a process group. A missing group is not an error. */
export function killGroup(leader: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (leader !== undefined) killQuietly(groupOf(leader), signal)
}

/** Rounds of killing; what forks faster than this is left to a box. */
const maxRounds = 100

/**
 * Kills processes that were started after `first` and left their group, recognised by a mark in their environment
 * (Linux).
 */
export async function killStrays([name, value]: readonly [string, string], first: number): Promise<void> {
  if (process.platform !== 'linux') return
  const mark = `${name}=${value}`
  for (let round = 0; round < maxRounds; round++) {
    const found = startedSince(first).map((pid) => ({ pid, owner: ownerOf(pid, mark) }))
    if (found.every(({ owner }) => owner === 'others')) return
    for (const { pid, owner } of found) if (owner === 'ours') killQuietly(pid, 'SIGKILL')
    await nextTurn()
  }
}

/** Numbers are assigned upwards: only if the count has restarted do later processes have numbers below the first. */
function startedSince(first: number): readonly number[] {
  const last = Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1))
  if (last === first) return []
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return last > first ? all.filter((pid) => pid > first) : all
}

/** A process that has just ended, or is about to run another program, is unclear: its environment cannot be read. */
function ownerOf(pid: number, mark: string): 'ours' | 'others' | 'unclear' {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
    if (environment.split('\0').includes(mark)) return 'ours'
    return environment === '' && hasProgram(pid) ? 'unclear' : 'others'
  } catch (error) {
    return errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH' ? 'unclear' : 'others'
  }
}

function hasProgram(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`) !== ''
  } catch {
    return false
  }
}

function killQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    return
  }
}
