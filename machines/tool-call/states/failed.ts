import { reviewInput } from '../tool-call.result.ts'
import { toolCallSetup } from '../tool-call.setup.ts'

/** State `failed` of a call. */
export const failed = toolCallSetup.createStateConfig({
  description: 'Refused at the call gate, or the tool answered with an error.',
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
        { type: 'recordStatus', params: { status: 'failed' } },
        { type: 'reportSettled', params: { status: 'failed' } },
      ],
    },
  },
})
