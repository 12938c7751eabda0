import { agentWalBytes, bareWalBytes } from '../wal-bytes.ts'
import type { Workload } from '../workload.ts'

/** Bytes that one run of so many turns, each with one call, adds to the write-ahead log. */
export const bytes: Workload = {
  name: 'bytes',
  unit: 'bytes',
  floor:
    'the same messages, each inserted by one prepared statement in a transaction of its own into a table (run, seq, body) WITHOUT ROWID; its write-ahead log is weighed.',
  rounds: 1,
  variants: [
    {
      name: 'wal',
      sizes: [10, 50, 200],
      subjects: {
        floor: (count, place) => bareWalBytes(count, place.freshFile()),
        statewright: (count, place) => agentWalBytes(count, place.freshFile()),
      },
    },
  ],
}
