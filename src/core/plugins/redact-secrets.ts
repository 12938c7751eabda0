import type { Json } from '../domain/text/json.ts'
import type { Content, ModelMessage } from '../domain/message.ts'
import { checkOptions, filledText, listOf, options } from '../domain/text/option-shape.ts'
import { redactorOf, type Secret } from '../domain/text/redactor.ts'
import type { SuspensionTicket } from '../domain/suspension.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { ToolResult } from '../ports/tool.ts'

const shape = { secrets: listOf(options<Secret>({ name: filledText, value: filledText })) }

/**
 * Masks secrets as `[secret NAME]` in prompts, and in tools' results, errors, questions and progress before any of it
 * is stored or emitted. A secret is also found percent-encoded, within JSON and in base64. Texts of people and models
 * in the transcript do not change, nor does what a tool stores with `ctx.step`. Throws a `UsageError` for a value that
 * is not a list of secrets.
 */
export function redactSecrets(secrets: readonly Secret[]): Plugin {
  checkOptions('redactSecrets', { secrets }, shape)
  const { text, json } = redactorOf(secrets)
  const masked = <Block extends Content>(block: Block): Block => {
    if (block.type === 'text') return { ...block, text: text(block.text) }
    return block.type === 'toolCall' ? { ...block, arguments: json(block.arguments) } : block
  }
  const maskedMessage = (message: ModelMessage): ModelMessage => {
    if (message.role === 'assistant') return { ...message, content: message.content.map(masked) }
    return { ...message, content: message.content.map(masked) }
  }
  const maskedField = <Field extends string>(field: Field, value: Json | undefined): { readonly [F in Field]?: Json } =>
    value === undefined ? {} : ({ [field]: json(value) } as { readonly [F in Field]?: Json })
  const maskedResult = ({ content, status, details, childRunId }: ToolResult): ToolResult => ({
    content: content.map(masked),
    ...(status === undefined ? {} : { status }),
    ...maskedField('details', details),
    ...(childRunId === undefined ? {} : { childRunId }),
  })
  const maskedQuestion = ({ message, ...ticket }: SuspensionTicket): SuspensionTicket => ({
    ...ticket,
    ...(message === undefined ? {} : { message: text(message) }),
    ...maskedField('parameters', ticket.parameters),
    ...maskedField('preview', ticket.preview),
  })
  return {
    name: 'redact-secrets',
    transformRequest({ system, messages, ...request }) {
      return { ...request, system: text(system), messages: messages.map(maskedMessage) }
    },
    onToolValue({ kind, value }) {
      if (kind === 'result' || kind === 'error') return maskedResult(value)
      return kind === 'question' ? maskedQuestion(value) : json(value)
    },
  }
}
