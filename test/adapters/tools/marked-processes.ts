import { readdirSync, readFileSync } from 'node:fs'
import { threadId } from 'node:worker_threads'

/** Running processes that a shell call of this thread started, whatever became of their parents. */
export function markedProcesses(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const mark = readQuietly(`/proc/${pid}/environ`)
        .split('\0')
        .find((line) => line.startsWith(`STATEWRIGHT_SHELL=${process.pid}.${threadId}.`))
      return mark === undefined ? [] : [`${pid} ${readQuietly(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`]
    })
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
