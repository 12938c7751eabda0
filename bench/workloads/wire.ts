import { wireSubjects } from '../wire-deltas.ts'
import type { Workload } from '../workload.ts'

/** One answer in so many deltas through each wire, beside the reading of the same bytes by the package the wire uses. */
export const wire: Workload = {
  name: 'wire',
  unit: 'µs a delta',
  floor: "the provider's own package reads the same bytes from memory.",
  rounds: 11,
  warmUp: { size: 2000, times: 5 },
  variants: wireSubjects.map(({ name, ours, floor }) => ({
    name,
    sizes: [2000],
    subjects: { floor, statewright: ours },
  })),
}
