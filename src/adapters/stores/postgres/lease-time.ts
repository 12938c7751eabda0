/** Returns the current time for leases as SQL, in Unix milliseconds: the given time, or else the server's. */
export function timeOr(given: string): string {
  return `coalesce(${given}::float8, floor(extract(epoch FROM clock_timestamp()) * 1000)::float8)`
}
