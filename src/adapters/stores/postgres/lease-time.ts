/** Returns the time of leases as SQL, in Unix milliseconds: the given time, or that of the server at this statement. */
export function timeOr(given: string): string {
  return `coalesce(${given}::float8, floor(extract(epoch FROM clock_timestamp()) * 1000)::float8)`
}
