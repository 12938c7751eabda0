import type { AssistantMessage, StopReason } from '../../domain/message.ts'

/** How an answer ended, in our words. */
export interface Ending {
  readonly stopReason: StopReason
  readonly errorMessage?: string
}

/**
 * The ending that fits the content: `stop` and `toolUse` follow from whether there are calls, since
 * compatible servers say either.
 */
export function endingOf(ending: Ending, content: AssistantMessage['content']): Ending {
  if (ending.stopReason !== 'stop' && ending.stopReason !== 'toolUse') return ending
  return { stopReason: content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop' }
}

/** The ending of an answer the provider itself stopped for what it says. */
export function refused(explanation: string): Ending {
  return { stopReason: 'error', errorMessage: `The model refused to answer: ${explanation}` }
}

/** The ending of an answer whose stop reason we do not know. */
export function unknownEnding(provider: string, reason: string): Ending {
  return { stopReason: 'error', errorMessage: `${provider} stopped for a reason that is not known here: "${reason}".` }
}
