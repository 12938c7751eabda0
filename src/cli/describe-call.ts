import type { AnswerCommands } from './answer-commands.ts'
import type { Paint } from './paint.ts'
import { visibleText } from './safe-text.ts'
import type { SuspendedCall } from './suspended-calls.ts'

/** Characters of one argument that are printed; more is named, never dropped silently. */
const argumentLimit = 4_000

/** A suspended call for a person: what it would do, why it waits, how to answer. */
export function describeCall(call: SuspendedCall, answers: AnswerCommands, paint: Paint): string {
  const { toolName, callId, reason, message, parameters, expiresAt } = call
  return [
    `${paint('yellow', 'suspended')} ${paint('bold', visibleText(toolName))} (call ${callId}): ${reasons[reason]}`,
    ...(message === undefined ? [] : [indented(visibleText(message))]),
    ...describeArguments(call.arguments),
    ...(parameters === undefined ? [] : [indented(`asked with: ${shown(parameters)}`)]),
    ...(expiresAt === undefined ? [] : [`  expires ${new Date(expiresAt).toISOString()}`]),
    ...describeAnswers(call, answers),
  ].join('\n')
}

const reasons = {
  approval: 'needs approval',
  input: 'asks for a value',
  interrupted: 'its process died while it ran; it may have run already',
  service: 'waits for a service',
  permission: 'needs a permission',
  subAgent: 'waits for a sub-agent',
  plugin: 'was suspended by a plugin',
} as const

/** Each argument on lines of its own, a text as it would be written; nothing for what suspends the run itself. */
function describeArguments(given: SuspendedCall['arguments']): readonly string[] {
  if (given === null) return []
  if (typeof given !== 'object' || Array.isArray(given)) return [indented(shown(given))]
  return Object.entries(given).map(([name, value]) => indented(`${visibleText(name)}: ${shown(value)}`))
}

function shown(value: unknown): string {
  const text = visibleText(typeof value === 'string' ? value : JSON.stringify(value))
  if (text.length <= argumentLimit) return text.includes('\n') ? `\n${indented(text)}` : text
  const head = text.slice(0, argumentLimit)
  return `\n${indented(head)}\n  [… ${text.length - argumentLimit} characters more: show it with --json]`
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}

function describeAnswers({ reason, mayHaveRun }: SuspendedCall, answers: AnswerCommands): readonly string[] {
  if (mayHaveRun) {
    return [
      `  run it again:       ${answers.approve}`,
      `  take this result:   ${answers.respond}`,
      `  give it up:         ${answers.deny}`,
    ]
  }
  if (reason === 'input' || reason === 'service') {
    return [`  answer:  ${answers.respond}`, `  refuse:  ${answers.deny}`]
  }
  return [`  approve: ${answers.approve}`, `  deny:    ${answers.deny}`]
}
