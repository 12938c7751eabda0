import type { AnswerCommands } from './command-table.ts'
import { visibleText } from './safe-text.ts'
import type { Session } from './session.ts'
import type { SuspendedCall, WriteTarget } from './suspended-calls.ts'

/** Characters of one argument that are printed; more is named, never dropped silently. */
const argumentLimit = 4_000

/** A suspended call for a person: what it would do, why it waits, how to answer. */
export function describeCall(
  call: SuspendedCall,
  answers: AnswerCommands,
  { paint, options }: Pick<Session, 'paint' | 'options'>,
): string {
  const { toolName, callId, reason, message, target, parameters, expiresAt } = call
  const shown = (value: unknown) => shortened(value, options.full ? Infinity : argumentLimit, answers.full)
  return [
    `${paint('yellow', 'suspended')} ${paint('bold', visibleText(toolName))} (call ${callId}): ${reasons[reason]}`,
    ...(message === undefined ? [] : [indented(visibleText(message))]),
    ...describeArguments(call.arguments, shown),
    ...(target === undefined ? [] : [indented(describeTarget(target))]),
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
function describeArguments(given: SuspendedCall['arguments'], shown: (value: unknown) => string): readonly string[] {
  if (given === null) return []
  if (typeof given !== 'object' || Array.isArray(given)) return [indented(shown(given))]
  return Object.entries(given).map(([name, value]) => indented(`${visibleText(name)}: ${shown(value)}`))
}

/** What a write does to the folder, as things are now. */
function describeTarget({ path, replaces }: WriteTarget): string {
  const shown = visibleText(path).replaceAll('\n', '\\u{a}')
  return replaces === null ? `creates ${shown}` : `replaces ${shown} (${replaces} bytes)`
}

function shortened(value: unknown, limit: number, fullCommand: string): string {
  const text = visibleText(typeof value === 'string' ? value : JSON.stringify(value))
  if (text.length <= limit) return text.includes('\n') ? `\n${indented(text)}` : text
  const head = text.slice(0, limit)
  return `\n${indented(head)}\n  [… ${text.length - limit} characters are not shown; all of them: ${fullCommand}]`
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
