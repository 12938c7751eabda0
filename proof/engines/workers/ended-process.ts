/** The id of the one process that has ended. An object has no processes; the suites ask for one that is gone. */
export const endedPid = 4712

export const ownPid = 0

export function answersSignals(pid: number): boolean {
  return pid !== endedPid
}

export function startOf(): undefined {
  return undefined
}

export function hostName(): string {
  return ''
}
