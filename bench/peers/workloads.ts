/** One workload of the comparison. */
export interface Workload {
  readonly name: string
  readonly unit: string
  readonly sizes: readonly number[]
  readonly rounds: number
  /** Measurements of each subject before the first that counts, but no more once it has taken ten seconds. */
  readonly warmUp: { readonly size: number; readonly times: number }
}

/** What is played, in this order; `import` is measured apart, in processes that do nothing else. */
export const workloads: readonly Workload[] = [
  { name: 'turns', unit: 'µs a turn', sizes: [10, 50, 200], rounds: 9, warmUp: { size: 200, times: 60 } },
  { name: 'parallel', unit: 'µs a call', sizes: [1, 8, 64, 256], rounds: 9, warmUp: { size: 64, times: 60 } },
  { name: 'durable', unit: 'µs a turn', sizes: [10, 50, 200], rounds: 9, warmUp: { size: 200, times: 60 } },
  { name: 'resume', unit: 'µs', sizes: [10, 100, 1000], rounds: 9, warmUp: { size: 10, times: 150 } },
  { name: 'freshProcess', unit: 'µs', sizes: [10], rounds: 15, warmUp: { size: 10, times: 1 } },
  { name: 'atOnce', unit: 'µs a turn', sizes: [1000], rounds: 9, warmUp: { size: 100, times: 3 } },
  { name: 'deltas', unit: 'µs a delta', sizes: [20_000], rounds: 9, warmUp: { size: 20_000, times: 3 } },
]
