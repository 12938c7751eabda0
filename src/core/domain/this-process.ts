const initialPidNamespace = 'pid:[4026531836]'

/** The id of this process. */
export const ownPid = process.pid

/** Returns false if no process of this host has the id. */
export function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** Returns the start time in clock ticks since boot, if the host reports it; a zombie has ended. */
export function startOf(pid: number): { readonly start: string; readonly ended: boolean } | undefined {
  const stat = textOf(() => files().readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The second field, the program's name, may contain blanks and parentheses, so fields are counted from its end.
  const [state, ...later] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  const start = later[18]
  return start === undefined ? undefined : { start, ended: state === 'Z' || state === 'X' }
}

let own: string | undefined

/**
 * Returns the host's name with the namespace of process ids, because containers may share only the name. It stays the same
 * for the life of the process.
 */
export function hostName(): string {
  return (own ??= nameOfHost())
}

function nameOfHost(): string {
  const namespace = textOf(() => files().readlinkSync('/proc/self/ns/pid'))
  const { hostname } = process.getBuiltinModule('node:os')
  return namespace === undefined || namespace === initialPidNamespace ? hostname() : `${hostname()}/${namespace}`
}

/** Node's files, on use: a Node that is too old has no such function, and is to import this module nevertheless. */
function files() {
  return process.getBuiltinModule('node:fs')
}

function textOf(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
