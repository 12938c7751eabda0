import { readdirSync, readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Sends a signal to a process group; one that is gone is fine. */
export function killGroup(leader: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (leader !== undefined) killQuietly(-leader, signal)
}

/** Rounds of killing; what forks faster than this is left to a box. */
const maxRounds = 50

/**
 * Kills processes that left their group, on Linux: those started after `first` whose environment holds the marker.
 * One that has cleared its environment is not found; a box finds that one too.
 */
export async function killStrays([name, value]: readonly [string, string], first: number): Promise<void> {
  if (process.platform !== 'linux') return
  const mark = `${name}=${value}`
  for (let round = 0; round < maxRounds; round++) {
    const strays = startedSince(first).filter((pid) => environmentOf(pid).includes(mark))
    if (strays.length === 0) return
    for (const pid of strays) killQuietly(pid, 'SIGKILL')
    await nextTurn()
  }
}

/** Numbers are given out upwards: below the first there are only later processes where the count has begun anew. */
function startedSince(first: number): readonly number[] {
  const last = Number(readQuietly('/proc/loadavg').trim().split(' ').at(-1))
  if (last === first) return []
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return last > first ? all.filter((pid) => pid > first) : all
}

function environmentOf(pid: number): readonly string[] {
  return readQuietly(`/proc/${pid}/environ`).split('\0')
}

/** A process may end, or belong to somebody else. */
function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function killQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    return
  }
}
