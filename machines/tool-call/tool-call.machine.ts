import { initialContext } from './tool-call.gate.ts'
import { toolCallSetup } from './tool-call.setup.ts'
import { cancelled, failed, succeeded } from './states/call-endings.ts'
import { newCall } from './states/new-call.ts'
import { resuming } from './states/resuming.ts'
import { running } from './states/running.ts'
import { suspended } from './states/suspended.ts'

const machine = toolCallSetup.createMachine({
  id: 'toolCall',
  description: 'One call of one tool, from the moment the model asked for it to its one result.',
  context: initialContext,
  initial: 'new',
  states: {
    new: newCall,
    running,
    suspended,
    resuming,
    // Reviewing and settling stand three times: one terminal state around them would hide which of the seven
    // states of TC-01 the call has come to, and those are its stored status.
    succeeded,
    failed,
    cancelled,
  },
})

type ToolCallLogic = typeof machine

/** Layer 2: one actor per call, seven states, fifteen edges (requirement TC-01). */
export interface ToolCallMachine extends ToolCallLogic {}

/** The chart of a call; who drives it binds its actors and actions. */
export const toolCallMachine: ToolCallMachine = machine
