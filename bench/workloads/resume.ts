import { bareResume } from '../bare-resume.ts'
import { agentResume } from '../agent-resume.ts'
import type { Workload } from '../workload.ts'

const sizes = [10, 100, 1000]

/**
 * One call that needs an approval, in a run of so many messages: from the answer that makes it, over the suspension, a
 * fresh agent on a fresh store handle and the approval, to the run's end.
 */
export const resume: Workload = {
  name: 'resume',
  unit: 'µs',
  rounds: 15,
  warmUp: { size: 10, times: 150 },
  variants: [
    {
      name: 'given normal',
      sizes,
      subjects: {
        floor: (messages, place) => bareResume({ messages, path: place.freshFile(), synchronous: 'normal' }),
        statewright: (messages, place) =>
          agentResume({ messages, history: 'given', path: place.freshFile(), synchronous: 'normal' }),
      },
    },
    {
      name: 'grown normal',
      sizes,
      subjects: {
        floor: (messages, place) => bareResume({ messages, path: place.freshFile(), synchronous: 'normal' }),
        statewright: (messages, place) =>
          agentResume({ messages, history: 'grown', path: place.freshFile(), synchronous: 'normal' }),
      },
    },
    {
      name: 'given full',
      sizes,
      warmsUp: false,
      subjects: {
        floor: (messages, place) => bareResume({ messages, path: place.freshFile(), synchronous: 'full' }),
        statewright: (messages, place) =>
          agentResume({ messages, history: 'given', path: place.freshFile(), synchronous: 'full' }),
      },
    },
  ],
}
