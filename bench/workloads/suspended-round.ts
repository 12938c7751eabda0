import { approvedFiles, bareApprovedFiles } from '../approved-files.ts'
import { approvedRound, bareApprovedRound } from '../approved-round.ts'
import { heapRiseDuring } from '../memory-rise.ts'
import type { Workload } from '../workload.ts'

/** One round of so many calls that are suspended together, approved at once, and performed. */
export const suspendedRound: Workload = {
  name: 'suspendedRound',
  unit: 'µs a call',
  floor: 'inserts the same messages once each, reads them on a second connection, and inserts the results.',
  rounds: 11,
  warmUp: { size: 32, times: 20 },
  variants: [
    {
      name: 'normal',
      sizes: [8, 128],
      subjects: {
        floor: async (calls, place) => (await bareApprovedRound({ calls, path: place.freshFile() })) / calls,
        statewright: async (calls, place) => (await approvedRound({ calls, path: place.freshFile() })) / calls,
      },
    },
  ],
}

/** How far the heap rises, garbage and all, in a round of so many files of 49 kB that are approved together. */
export const suspendedMemory: Workload = {
  name: 'suspendedMemory',
  unit: 'MB of heap',
  floor:
    'inserts the same messages with each text in the answer and in its preview, reads them once, and inserts the results.',
  rounds: 3,
  variants: [
    {
      name: 'files',
      sizes: [20, 128],
      subjects: {
        floor: (files, place) => heapRiseDuring(() => bareApprovedFiles({ files, bytes, path: place.freshFile() })),
        statewright: (files, place) => heapRiseDuring(() => approvedFiles({ files, bytes, path: place.freshFile() })),
      },
    },
  ],
}

const bytes = 49_000
