import type { Content, ModelMessage } from '../domain/message.ts'
import { checkOptions, filledText, listOf, options } from '../domain/option-shape.ts'
import { redactorOf, type Secret } from '../domain/redactor.ts'
import type { Plugin } from '../ports/plugin.ts'

const shape = { secrets: listOf(options<Secret>({ name: filledText, value: filledText })) }

/**
 * Masks secrets as `[secret NAME]` in what models are sent and in the results tools give, before these are stored; what a
 * person wrote stays as it is in the transcript. Throws a `UsageError` for what is no list of secrets.
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
  return {
    name: 'redact-secrets',
    transformRequest({ system, messages, ...request }) {
      return { ...request, system: text(system), messages: messages.map(maskedMessage) }
    },
    afterToolExecute({ call: { result }, rewrite }) {
      if (result === undefined) return
      const details = result.details === undefined ? {} : { details: json(result.details) }
      rewrite({ ...result, ...details, content: result.content.map(masked) })
    },
  }
}
