import { approvedRound, bareApprovedRound } from '../approved-round.ts'
import type { Workload } from '../workload.ts'

const calls = 2

/** A run that waits with so many kB in its document: two calls, each shown with half of them, then approved. */
export const largeDocument: Workload = {
  name: 'largeDocument',
  unit: 'µs a kB',
  floor:
    'inserts the same messages and previews once each, reads them on a second connection, and inserts the results.',
  rounds: 9,
  warmUp: { size: 4, times: 30 },
  variants: [
    {
      name: 'previews',
      sizes: [4, 40],
      subjects: {
        floor: async (size, place) => (await bareApprovedRound({ ...ofSize(size), path: place.freshFile() })) / size,
        statewright: async (size, place) => (await approvedRound({ ...ofSize(size), path: place.freshFile() })) / size,
      },
    },
  ],
}

function ofSize(kilobytes: number) {
  return { calls, previewed: (kilobytes * 1000) / calls }
}
