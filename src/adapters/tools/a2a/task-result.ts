import { type Part, type Task, TaskState } from '@a2a-js/sdk'
import { keptBlock } from '../../../core/domain/read-block.ts'
import type { ShownContent } from '../../../core/domain/message.ts'
import type { Suspension, SuspensionTicket } from '../../../core/domain/suspension.ts'
import { isRecord, type JsonObject, toPlainJson } from '../../../core/domain/text/json.ts'
import type { ToolResult } from '../../../core/ports/tool.ts'
import { cutText, foreignText } from '../foreign-text.ts'

/** The question of a remote task. `calls` are the data parts that name a call, as agents of this package send them. */
export interface RemoteQuestion {
  readonly taskId: string
  readonly contextId: string
  readonly text: string
  readonly calls: readonly JsonObject[]
}

const mostText = 256_000
const mostAsked = 2_000
const mostParts = 50

/** Returns the texts of parts as one, as somebody else wrote them. */
function textIn(parts: readonly Part[], most = mostAsked): string {
  const texts = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []))
  return foreignText(texts.join('\n'), most)
}

/** Returns parts as content of a result. Data becomes JSON text, and an address stays a text: nothing is fetched. */
export function contentOf(parts: readonly Part[]): readonly ShownContent[] {
  return parts.slice(0, mostParts).map(({ content, mediaType, filename }): ShownContent => {
    if (content?.$case === 'raw') {
      const type = mediaType.startsWith('image/') ? 'image' : 'file'
      return keptBlock({ type, data: content.value.toString('base64'), mediaType, name: filename })
    }
    const text = content?.$case === 'data' ? JSON.stringify(content.value) : (content?.value ?? '')
    return { type: 'text', text: cutText(text, mostText / mostParts, '\n... [truncated]') }
  })
}

/** Returns the result of a task that has ended. */
export function resultOf({ id, contextId, status, artifacts }: Task): ToolResult {
  // The protocol has no field for it, so no account is charged.
  const details = { a2a: { taskId: id, contextId, cost: 'unknown' } }
  const said = textIn(status?.message?.parts ?? [])
  if (status?.state === TaskState.TASK_STATE_COMPLETED) {
    const content = contentOf(artifacts.flatMap(({ parts }) => parts))
    return { details, content: content.length > 0 ? content : [{ type: 'text', text: said || 'There is no answer.' }] }
  }
  const state = TaskState[status?.state ?? TaskState.UNRECOGNIZED].replace('TASK_STATE_', '').toLowerCase()
  return { details, status: 'error', content: [{ type: 'text', text: `The task ended as ${state}. ${said}`.trim() }] }
}

/** Returns the question of a task that waits. */
export function questionIn({ id: taskId, contextId, status }: Task): RemoteQuestion {
  const parts = status?.message?.parts ?? []
  const calls = parts.flatMap(({ content }): readonly JsonObject[] => {
    if (content?.$case !== 'data' || !isRecord(content.value)) return []
    const { callId, suspensionId, asksFor } = content.value
    const call = toPlainJson({ callId, suspensionId, asksFor })
    return typeof callId === 'string' && isRecord(call) ? [call] : []
  })
  return { taskId, contextId, text: textIn(parts), calls: calls.slice(0, mostParts) }
}

/**
 * Returns the suspension that asks a person the question of a remote agent. `problem` says why the question is asked
 * again.
 */
export function ticketOf(name: string, question: RemoteQuestion, problem?: string): SuspensionTicket {
  const answer =
    'To answer with a text, resume with the arguments { prompt: … }; for several calls, with { prompt, answers }.'
  const message = [
    ...(problem === undefined ? [] : [`The answer was not accepted: ${foreignText(problem, 500)}`]),
    `The remote agent "${foreignText(name, 100)}" asks: ${question.text}`,
    isApproval(question) ? `Approving approves it there. ${answer}` : answer,
  ]
  return { reason: 'approval', message: message.join('\n'), parameters: { a2aQuestion: { ...question } } }
}

/** Returns true if every open call waits for a yes or a no. */
export function isApproval({ calls }: Pick<RemoteQuestion, 'calls'>): boolean {
  return calls.length > 0 && calls.every(({ asksFor }) => asksFor === 'approval')
}

/** Returns the question that a suspension asks, or undefined if it asks something else. */
export function questionOf(suspension: Suspension | undefined): RemoteQuestion | undefined {
  const { parameters } = suspension ?? {}
  const asked = isRecord(parameters) ? parameters['a2aQuestion'] : undefined
  if (!isRecord(asked) || typeof asked['taskId'] !== 'string' || !Array.isArray(asked['calls'])) return undefined
  return asked as unknown as RemoteQuestion
}
