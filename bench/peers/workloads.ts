/** One workload of the comparison. */
export interface Workload {
  readonly name: string
  readonly unit: string
  /** How the floor does the work, in one sentence. */
  readonly floor: string
  readonly sizes: readonly number[]
  readonly rounds: number
  /** Measurements of each subject before the first that counts, but no more once it has taken ten seconds. */
  readonly warmUp: { readonly size: number; readonly times: number }
}

/** What is played, in this order; `import` is measured apart, in processes that do nothing else. */
export const workloads: readonly Workload[] = [
  {
    name: 'turns',
    unit: 'µs a turn',
    floor: 'a loop of promises that pushes the same messages onto an array.',
    sizes: [10, 50, 200],
    rounds: 9,
    warmUp: { size: 200, times: 60 },
  },
  {
    name: 'parallel',
    unit: 'µs a call',
    floor: 'a loop that makes the same calls by one Promise.all and pushes each message onto an array.',
    sizes: [1, 8, 64, 256],
    rounds: 9,
    warmUp: { size: 64, times: 60 },
  },
  {
    name: 'durable',
    unit: 'µs a turn',
    floor:
      'the same loop, which inserts each message by one prepared statement, in a transaction of its own, into a table of SQLite.',
    sizes: [10, 50, 200],
    rounds: 9,
    warmUp: { size: 200, times: 60 },
  },
  {
    name: 'resume',
    unit: 'µs',
    floor:
      'inserts the last answer, reads all messages on a second connection that it opens, and inserts the result and the answer.',
    sizes: [10, 100, 1000],
    rounds: 9,
    warmUp: { size: 10, times: 150 },
  },
  {
    name: 'freshProcess',
    unit: 'µs',
    floor: 'opens the file, reads all messages, and inserts the result and the answer.',
    sizes: [10],
    rounds: 15,
    warmUp: { size: 10, times: 1 },
  },
  {
    name: 'atOnce',
    unit: 'µs a turn',
    floor: 'as many such loops at once, which keep nothing.',
    sizes: [1000],
    rounds: 9,
    warmUp: { size: 100, times: 3 },
  },
  {
    name: 'deltas',
    unit: 'µs a delta',
    floor: 'joins the texts of the same deltas, which an async generator yields.',
    sizes: [20_000],
    rounds: 9,
    warmUp: { size: 20_000, times: 3 },
  },
]
