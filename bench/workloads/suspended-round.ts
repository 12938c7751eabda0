import { approvedRound, bareApprovedRound } from '../approved-round.ts'
import type { Workload } from '../workload.ts'

/** One round of so many calls that are suspended together, approved at once, and performed. */
export const suspendedRound: Workload = {
  name: 'suspendedRound',
  unit: 'µs a call',
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
