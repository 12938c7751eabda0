import type { CallResult } from './call.ts'
import type { InputMessage, Message, ShownContent, UserMessage } from './message.ts'

/** The work of a call that goes on after the call has its result, which is the receipt. */
export interface BackgroundWork {
  readonly callId: string
  /** The run that does the work. */
  readonly childRunId: string
}

/** The same with the name of the tool. */
export interface NamedWork extends BackgroundWork {
  readonly toolName: string
}

/** Returns the result of a call whose work goes on in the background. */
export function receiptText(toolName: string): string {
  return `[Tool '${toolName}' runs in the background. Its result will follow as a message.]`
}

/** The result of a call whose work goes on in the background. */
export type Receipt = CallResult & { readonly childRunId: string }

/** Returns true for the receipt of background work. */
export function isReceipt(message: Message): message is Receipt {
  if (message.role !== 'toolResult' || message.childRunId === undefined) return false
  const text = receiptText(message.toolName)
  return message.content.some((block) => block.type === 'text' && block.text === text)
}

/** Returns the message that brings the result of background work. */
export function resultOfWork(
  { toolName, callId, childRunId }: NamedWork,
  content: readonly ShownContent[],
  timestamp: number,
): UserMessage {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  const media = content.filter(({ type }) => type !== 'text')
  return {
    role: 'user',
    content: [{ type: 'text', text: `[Result of '${toolName}' (${callId}): ${text}]` }, ...media],
    timestamp,
    background: { callId, childRunId },
  }
}

/** Returns the message that says that background work was cancelled. */
export function cancelledWork({ toolName, callId, childRunId }: NamedWork, timestamp: number): UserMessage {
  const text = `[Background call '${toolName}' (${callId}) was cancelled. No result will follow.]`
  return { role: 'user', content: [{ type: 'text', text }], timestamp, background: { callId, childRunId } }
}

/** Returns true for a message of a user, and false for one that brings the result of background work. */
export function isSaidByUser(message: Message): message is UserMessage {
  return message.role === 'user' && message.background === undefined
}

/** Returns the receipts of a transcript that no message has followed, in order. */
export function openReceipts(transcript: readonly Message[]): readonly Receipt[] {
  const followed = new Set(transcript.flatMap((message) => workOf(message)?.childRunId ?? []))
  return transcript.filter(isReceipt).filter(({ childRunId }) => !followed.has(childRunId))
}

/**
 * Removes messages about background work that the transcript does not wait for, because it has no receipt of the work
 * or already has its result. So a result is in a transcript at most once, however often it is delivered.
 */
export function withoutUnawaited(
  transcript: () => readonly Message[],
  messages: readonly InputMessage[],
): readonly InputMessage[] {
  if (!messages.some((message) => 'background' in message)) return messages
  const awaited = new Set(openReceipts(transcript()).map(({ childRunId }) => childRunId))
  return messages.filter((message) => {
    const work = workOf(message)
    return work === undefined || awaited.delete(work.childRunId)
  })
}

/** Returns the work that a message is about, or undefined for any other message. */
function workOf(message: Message): BackgroundWork | undefined {
  return message.role === 'user' ? message.background : undefined
}
