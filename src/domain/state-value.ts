/** The top-level state of a machine's state value: the value itself, or the one key of a nested one. */
export function topLevelState(value: unknown): string {
  return typeof value === 'string' ? value : (Object.keys(value as object)[0] ?? '')
}
