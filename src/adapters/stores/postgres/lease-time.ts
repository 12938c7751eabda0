/**
 * The time by which leases expire, in Unix milliseconds: a clock of the store that was given for tests, or the server's,
 * which is the same for all who ask. It is read when the statement has got so far, not when its transaction began.
 */
export function timeOr(given: string): string {
  return `coalesce(${given}::float8, floor(extract(epoch FROM clock_timestamp()) * 1000)::float8)`
}
