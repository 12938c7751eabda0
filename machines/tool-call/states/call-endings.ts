import { reviewInput } from '../tool-call.result.ts'
import { toolCallSetup } from '../tool-call.setup.ts'

/** What the three states a call ends in have alike: the review, where somebody listens, and then rest. */
const concluding = toolCallSetup.createStateConfig({
  always: [{ guard: 'isReviewed', target: 'reviewing' }, { target: 'settled' }],
})

const reviewing = toolCallSetup.createStateConfig({
  on: {
    'call.cancel': { guard: { type: 'isByRun', params: ({ event }) => event }, target: 'settled' },
  },
  invoke: {
    src: 'reviewCall',
    id: 'reviewCall',
    input: reviewInput,
    onDone: 'settled',
  },
})

/** State `succeeded` of a call. */
export const succeeded = toolCallSetup.createStateConfig({
  description: 'The tool, a plugin or a decision gave a result.',
  initial: 'concluding',
  states: {
    concluding,
    reviewing,
    settled: {
      entry: [
        { type: 'recordStatus', params: { status: 'succeeded' } },
        { type: 'reportSettled', params: { status: 'succeeded' } },
      ],
    },
  },
})

/** State `failed` of a call. */
export const failed = toolCallSetup.createStateConfig({
  description: 'Refused at the call gate, or the tool answered with an error.',
  entry: 'recordResult',
  initial: 'concluding',
  states: {
    concluding,
    reviewing,
    settled: {
      entry: [
        { type: 'recordStatus', params: { status: 'failed' } },
        { type: 'reportSettled', params: { status: 'failed' } },
      ],
    },
  },
})

/** State `cancelled` of a call. */
export const cancelled = toolCallSetup.createStateConfig({
  description: 'Ended by a decision, an expiry, a person or the run; a late result is discarded.',
  entry: 'recordResult',
  initial: 'concluding',
  states: {
    concluding,
    reviewing,
    settled: {
      entry: [
        { type: 'recordStatus', params: { status: 'cancelled' } },
        { type: 'reportSettled', params: { status: 'cancelled' } },
      ],
    },
  },
})
