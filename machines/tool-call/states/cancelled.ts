import { reviewInput } from '../tool-call.result.ts'
import { toolCallSetup } from '../tool-call.setup.ts'

/** State `cancelled` of a call. */
export const cancelled = toolCallSetup.createStateConfig({
  description: 'Ended by a decision, an expiry, a person or the run; a late result is discarded.',
  entry: 'recordResult',
  initial: 'concluding',
  states: {
    concluding: { always: [{ guard: 'isReviewed', target: 'reviewing' }, { target: 'settled' }] },
    reviewing: {
      on: {
        'call.cancel': { guard: { type: 'isByRun', params: ({ event }) => event }, target: 'settled' },
      },
      invoke: {
        src: 'reviewCall',
        id: 'reviewCall',
        input: reviewInput,
        onDone: 'settled',
      },
    },
    settled: {
      entry: [
        { type: 'recordStatus', params: { status: 'cancelled' } },
        { type: 'reportSettled', params: { status: 'cancelled' } },
      ],
    },
  },
})
