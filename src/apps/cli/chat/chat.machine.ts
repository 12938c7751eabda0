import { setup } from 'xstate'

/** The events of a chat. */
export type ChatEvent =
  /** A run of the conversation is driven or followed. */
  | { readonly type: 'run.begun' }
  /** No run of the conversation is driven or followed. */
  | { readonly type: 'run.rested' }
  /** A call waits for a decision. */
  | { readonly type: 'call.asks' }
  /** All input from before the question has been processed. */
  | { readonly type: 'question.shown' }
  /** The answer needs a line: a reason or a value. */
  | { readonly type: 'line.wanted' }
  /** The question is answered, left for later, or withdrawn. */
  | { readonly type: 'question.over' }
  /** The person leaves. */
  | { readonly type: 'left' }

/**
 * The chart of a terminal: the meaning of a key. A key counts as an answer only in `askingKey`, which begins after the
 * question was shown; earlier input is a draft.
 */
export const chatMachine = setup({ types: { events: {} as ChatEvent } }).createMachine({
  id: 'chat',
  initial: 'drafting',
  description: 'What a key means in a chat at a terminal.',
  on: { left: { target: '.leaving', description: 'Twice Ctrl-C, or the end of the input.' } },
  states: {
    drafting: {
      description: 'Nothing is under way; a line begins a run.',
      on: {
        'run.begun': { target: 'listening', description: 'A prompt was sent, or a run of the conversation taken up.' },
        'call.asks': { target: 'hushing', description: 'The run was waiting when the chat began.' },
      },
    },
    listening: {
      description: 'A run is under way; a line is said to it.',
      on: {
        'run.rested': { target: 'drafting', description: 'It is done, or somebody else will continue it.' },
        'call.asks': { target: 'hushing', description: 'It waits for an answer.' },
      },
    },
    hushing: {
      description: 'A question is about to be shown; what is typed still goes into the draft.',
      on: { 'question.shown': { target: 'askingKey', description: 'From now on a key answers.' } },
    },
    askingKey: {
      description: 'A question is shown; one key answers it.',
      on: {
        'question.over': { target: 'listening', description: 'The run continues, stops, or asks the next question.' },
        'line.wanted': { target: 'askingLine', description: 'A no may have a reason, and a value is a line.' },
      },
    },
    askingLine: {
      description: 'A line answers: a reason, or a value.',
      on: {
        'question.over': { target: 'listening', description: 'The run continues, stops, or asks the next question.' },
      },
    },
    leaving: { type: 'final', description: 'The terminal is restored.' },
  },
})
