import {
  type AssistantMessage,
  type Message,
  type ModelMessage,
  textOf,
  toolCallsOf,
} from '../../core/domain/message.ts'
import type { Model } from '../../core/ports/model.ts'
import type { Tool } from '../../core/ports/tool.ts'
import type { CommittedLog } from './committed-log.ts'
import type { CrashProblem } from './crash-problem.ts'

/** The texts that compaction puts in place of content or of a part of it. */
const cutText = /^\[Context compacted: |^\[Summary\] |\[\.\.\. \d+ (?:lines|characters) truncated \.\.\.\]/

type Note = (problem: CrashProblem) => void

/** Texts that the engine adds only to prompts. */
const promptOnlyTexts = [
  'Continue exactly where you stopped.',
  'You have reached your limit. Give your best final answer now, without calling tools.',
]

/** Returns a tool that notes a problem if it runs before the commit of its start. */
export function watchTool(tool: Tool, log: CommittedLog, note: Note): Tool {
  return {
    ...tool,
    execute: (input, context) => {
      const status = log.statusOf(context.callId)
      if (status !== 'running') {
        note({ kind: 'intent', message: `Call "${context.callId}" ran while it stood as ${status ?? 'unknown'}.` })
      }
      return tool.execute(input, context)
    },
  }
}

/**
 * Returns a model that notes a problem if a prompt has uncommitted content or a call without exactly one result, or if
 * a summary is paid for twice.
 */
export function watchModel(model: Model, log: CommittedLog, note: Note): Model {
  return {
    ...model,
    stream: (request) => {
      if (request.lifecycle === 'summary' && !log.asksSummary(request.messages.map(textOf).join('\n'))) {
        note({ kind: 'doubled', message: 'A summary was asked for again although its result is stored.' })
      }
      for (const message of findUnpaired(request.messages)) note({ kind: 'prompt', message })
      const unstored = findUncommitted(request.messages, log.messages())
      if (unstored !== undefined) note({ kind: 'intent', message: `The model read what is not committed: ${unstored}` })
      return model.stream(request)
    },
  }
}

/** Returns a message for each call without exactly one result right after it, and for each result without a call. */
export function findUnpaired(messages: readonly ModelMessage[]): readonly string[] {
  const problems: string[] = []
  let open: string[] = []
  const close = () => {
    problems.push(...open.map((callId) => `Call "${callId}" has no result.`))
    open = []
  }
  for (const message of messages) {
    if (message.role === 'toolResult') {
      if (!open.includes(message.callId)) problems.push(`A result for "${message.callId}" answers no open call.`)
      open = open.filter((callId) => callId !== message.callId)
      continue
    }
    close()
    if (message.role === 'assistant') open = idsOf(message)
  }
  close()
  return problems
}

function idsOf(message: AssistantMessage): string[] {
  return toolCallsOf(message).map(({ id, callId = id }) => callId)
}

function findUncommitted(prompt: readonly ModelMessage[], committed: readonly Message[]): string | undefined {
  const stored = new Set([...committed.map(contentOf), ...committed.map(withoutMedia)])
  const isPromptOnly = (message: ModelMessage, index: number) => {
    if (cutText.test(textOf(message))) return true
    if (message.role === 'user') return promptOnlyTexts.includes(textOf(message))
    const next = prompt[index + 1]
    return message.role === 'assistant' && next?.role === 'user' && promptOnlyTexts.includes(textOf(next))
  }
  const unknown = prompt.find(
    (message, index) =>
      !stored.has(contentOf(message)) && !stored.has(withoutMedia(message)) && !isPromptOnly(message, index),
  )
  return unknown && contentOf(unknown)
}

/** Returns the part of a message that a prompt shows. */
function contentOf(message: Message): string {
  return JSON.stringify({ ...message, details: undefined, childRunId: undefined, timestamp: 0 })
}

/** The text in the place of a picture or a file that a model has refused. */
const refusedText = /^\[An? .* was left out: the model refused a request with it: /

/** Returns the same part with one mark for each picture and file, and for each text in the place of a refused one. */
function withoutMedia(message: Message): string {
  if (message.role === 'extension') return contentOf(message)
  const content = message.content.map((block) => {
    const isMedia = block.type === 'image' || block.type === 'file'
    return isMedia || (block.type === 'text' && refusedText.test(block.text)) ? 'media' : block
  })
  return contentOf({ ...message, content } as Message)
}
