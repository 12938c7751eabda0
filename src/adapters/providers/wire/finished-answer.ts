import type { AssistantMessage, StopReason, ToolCallContent } from '../../../core/domain/message.ts'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import { parseJson } from '../../../core/domain/text/parse-json.ts'

/** The end of an answer, in this package's terms. */
export interface Ending {
  readonly stopReason: StopReason
  readonly errorMessage?: string
}

/**
 * The ending that fits the content: `stop` and `toolUse` follow from whether there are calls, since
 * compatible servers say either.
 */
function endingOf(ending: Ending, content: AssistantMessage['content']): Ending {
  if (ending.stopReason !== 'stop' && ending.stopReason !== 'toolUse') return ending
  return { ...ending, stopReason: content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop' }
}

/** Returns the message of a finished stream. */
export function answerMessage(
  ending: Ending,
  content: AssistantMessage['content'],
  facts: Pick<AssistantMessage, 'model' | 'provider' | 'usage' | 'timestamp'>,
): AssistantMessage {
  return { role: 'assistant', content, ...endingOf(ending, content), ...facts }
}

/** Returns the content of blocks in the order of their positions. The last block may be cut off. */
export function finishedBlocks<Block>(
  blocks: ReadonlyMap<number, Block>,
  ending: Ending,
  finish: (block: Block, cutOff: boolean) => AssistantMessage['content'],
): AssistantMessage['content'] {
  const sorted = [...blocks].sort(([left], [right]) => left - right)
  const isCut = mayBeCut(ending)
  return sorted.flatMap(([, block], place) => finish(block, isCut && place === sorted.length - 1))
}

/** Returns the ending of an answer that the provider stopped because of its content. */
export function refused(explanation: string): Ending {
  return { stopReason: 'error', errorMessage: `The model refused to answer: ${explanation}` }
}

/**
 * Returns true if the last call of an answer may be incomplete: because of the answer's limit, a failure, or an unknown
 * reason.
 */
export function mayBeCut({ stopReason, errorMessage }: Ending): boolean {
  return stopReason === 'length' || errorMessage !== undefined
}

/** A tool call at the end of its stream: the joined argument chunks, and whether the answer ended within it. */
export interface StreamedCall {
  readonly id: string
  readonly name: string
  readonly text: string
  readonly cutOff: boolean
}

/**
 * Returns the tool call of a finished stream. Empty text means `{}`. Text that is not JSON gives `malformed` with the
 * parse message; a call within which the answer ended gives `truncated`. Arguments are `{}` in both cases.
 */
export function finishedCall({ id, name, text, cutOff }: StreamedCall): ToolCallContent {
  const call = { type: 'toolCall', id, name } as const
  if (text.trim() === '') return { ...call, arguments: {}, ...(cutOff ? { truncated: true } : {}) }
  try {
    return { ...call, arguments: parseJson(text) }
  } catch (error) {
    if (cutOff) return { ...call, arguments: {}, truncated: true }
    return { ...call, arguments: {}, malformed: thrownText(error) }
  }
}
