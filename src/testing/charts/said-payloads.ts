import type { Write } from '../../core/domain/log.ts'
import { type Message, userMessage } from '../../core/domain/message.ts'
import { type InputPlace, type Payloads, type SaidPlace, withWarnings } from '../../core/domain/payload.ts'
import type { AwaitedKind, QueuedKind } from '../../../machines/run/run.input-types.ts'
import type { SaidKind } from './exploration-types.ts'

/** Returns the text of a message to a run in an exploration, as it appears in the transcript. */
export function saidText(kind: SaidKind, count: number): string {
  return `${kind} ${count}`
}

const kinds: readonly (QueuedKind | AwaitedKind)[] = ['steer', 'followUp', 'background']

/** Returns the inbox row of a message to a run in an exploration. */
export function rowOf(kind: QueuedKind | AwaitedKind, count: number): number {
  return count * kinds.length + kinds.indexOf(kind)
}

/** Returns the text of the message in a row. */
export function textAt({ inboxId }: SaidPlace): string {
  const count = Math.floor(inboxId / kinds.length)
  return saidText(kinds[inboxId % kinds.length] ?? 'steer', count)
}

const prompt = [userMessage('Go.', 1)]

/** The prompt of an exploration after a context builder has replaced it. */
export const builtPrompt = [userMessage('Go. Replaced.', 1)]

/** The payloads that the heads of an exploration refer to. */
export const exploredPayloads: Payloads = {
  input: { messages: prompt },
  said: (inboxId) => [userMessage(textAt({ inboxId }), 1)],
}

/** Returns the messages that a write adds to the transcript, without the engine's own. */
export function messagesOf(write: Write): readonly Message[] {
  if (write.kind === 'append') return [write.message]
  if (write.kind === 'input') return withWarnings(promptAt(write.from), write.warnings)
  if (write.kind !== 'said') return []
  return withWarnings([userMessage(textAt(write.said), 1)], write.said.warnings ?? [])
}

function promptAt(place: InputPlace) {
  if (place === 'row') return prompt
  return place === 'built' ? builtPrompt : []
}
