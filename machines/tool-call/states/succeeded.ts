import { reviewInput } from '../tool-call.result.ts'
import { toolCallSetup } from '../tool-call.setup.ts'

/** State `succeeded` of a call. */
export const succeeded = toolCallSetup.createStateConfig({
  description: 'The tool, a plugin or a decision gave a result.',
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
        { type: 'recordStatus', params: { status: 'succeeded' } },
        { type: 'reportSettled', params: { status: 'succeeded' } },
      ],
    },
  },
})
