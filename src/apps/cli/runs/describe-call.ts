import type { AnswerCommands } from '../setup/command-table.ts'
import { describePreview, isFilePreview } from '../terminal/describe-preview.ts'
import { behindGutter } from '../terminal/gutter.ts'
import { visibleText } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import type { SuspendedCall, WriteTarget } from '../setup/suspended-calls.ts'

/** The maximum number of printed characters of one argument; the number of hidden characters is always printed. */
const argumentLimit = 4_000

/** The settings with which a call is printed. */
export interface CallLook extends Pick<Session, 'paint' | 'options' | 'io'> {
  /** True if the person is asked by keys. */
  readonly isAsked?: boolean
  /** The place of the call among those that are asked about one after another, such as `1 of 2`. */
  readonly place?: string
  /** Default: the call, with long values cut unless `--full` is given; `rest`: only what was cut there. */
  readonly part?: 'rest'
}

/** Describes a suspended call for a person: its effect, the reason of its suspension, and the possible answers. */
export function describeCall(
  call: SuspendedCall,
  answers: AnswerCommands,
  { paint, options, io, isAsked = false, place, part }: CallLook,
): string {
  const { toolName, callId, reason, message, steps, target, parameters, preview, expiresAt } = call
  const width = io.isTTY ? io.columns || 80 : Infinity
  const wayOn = isAsked ? 'v shows them' : answers.full
  const limit = options.full ? Infinity : argumentLimit
  const shown = (value: unknown, head: number) => shortened(value, { limit, width, head, wayOn })
  const look = { paint, width, isFull: options.full, wayOn }
  if (part === 'rest') {
    const cut = describeArguments(withoutPreviewed(call), (value) => restOf(value, limit, width))
    const hidden = [...cut, ...(preview === undefined ? [] : describePreview(preview, { ...look, part }))]
    return hidden.length === 0 ? 'That was everything.' : hidden.join('\n')
  }
  return [
    `${place === undefined ? '' : `${place}: `}${paint('yellow', 'suspended')} ${paint('bold', visibleText(toolName))}${isAsked ? '' : ` (call ${callId})`}: ${reasons[reason]}`,
    ...(message === undefined ? [] : [behindGutter(visibleText(message), width)]),
    ...(steps === undefined ? [] : [`  done, not repeated: ${shown(steps.join(', '), 20)}`]),
    ...describeArguments(options.full ? call.arguments : withoutPreviewed(call), shown),
    ...(target === undefined ? [] : [`  ${describeTarget(target)}`]),
    ...(parameters === undefined ? [] : [`  asked with: ${shown(parameters, 12)}`]),
    ...(preview === undefined ? [] : describePreview(preview, look)),
    ...(expiresAt === undefined ? [] : [`  expires ${new Date(expiresAt).toISOString()}`]),
    ...(isAsked ? [] : describeAnswers(call, answers)),
  ].join('\n')
}

/** Returns the position of a call if there are several. */
export function placeOf(index: number, calls: readonly SuspendedCall[]): Pick<CallLook, 'place'> {
  return calls.length > 1 ? { place: `${index + 1} of ${calls.length}` } : {}
}

const reasons = {
  approval: 'needs approval',
  input: 'asks for a value',
  interrupted: 'its process died while it ran; it may have run already',
  service: 'waits for a service',
  permission: 'needs a permission',
  subAgent: 'waits for a sub-agent',
  model_unavailable: 'the model gave no answer',
  limit: 'its budget is used up; asks how much to add',
  plugin: 'was suspended by a plugin',
} as const

/** Returns the arguments of a call, without the new text of a file, which its preview shows as a diff. */
function withoutPreviewed({ arguments: given, preview }: SuspendedCall): SuspendedCall['arguments'] {
  if (preview === undefined || !isFilePreview(preview) || preview.added === null) return given
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  return Object.fromEntries(Object.entries(given).filter(([name]) => name !== 'content' && name !== 'edits'))
}

/** Returns each argument by its name, with texts unquoted; empty for a hold of the run. */
function describeArguments(
  given: SuspendedCall['arguments'],
  shown: (value: unknown, head: number) => string | undefined,
): readonly string[] {
  if (given === null) return []
  const named =
    typeof given === 'object' && !Array.isArray(given) ? Object.entries(given) : [['arguments', given] as const]
  return named.flatMap(([name, value]) => {
    const head = visibleText(name).replaceAll('\n', '\\u{a}').replaceAll('\t', '\\u{9}')
    const text = shown(value, head.length * 2 + 2)
    return text === undefined ? [] : [`  ${head}: ${text}`]
  })
}

/** Describes the effect of a write on the current folder. */
function describeTarget({ path, replaces }: WriteTarget): string {
  const shown = visibleText(path).replaceAll('\n', '\\u{a}')
  return replaces === null ? `creates ${shown}` : `replaces ${shown} (${replaces} bytes)`
}

interface Room {
  /** The maximum number of printed characters. */
  readonly limit: number
  /** Columns of the terminal, and the number of columns before the value. */
  readonly width: number
  readonly head: number
  /** The hint that says how to see the rest. */
  readonly wayOn: string
}

/** Returns a value on the line of its name if it fits, or else on separate lines behind a gutter. */
function shortened(value: unknown, { limit, width, head, wayOn }: Room): string {
  const text = textOfValue(value)
  const fits = !/[\n\t]/.test(text) && text.length * 2 + head + 2 < width
  if (text.length <= limit) return fits ? text : `\n${behindGutter(text, width)}`
  const rest = `[… ${text.length - limit} characters are not shown: ${wayOn}]`
  return `\n${behindGutter(text.slice(0, limit), width)}\n  ${rest}`
}

/** Returns what `shortened` cuts of a value, or undefined if it cuts nothing. */
function restOf(value: unknown, limit: number, width: number): string | undefined {
  const rest = textOfValue(value).slice(limit)
  return rest === '' ? undefined : `\n${behindGutter(rest, width)}`
}

function textOfValue(value: unknown): string {
  return visibleText(typeof value === 'string' ? value : JSON.stringify(value))
}

function describeAnswers({ reason, mayHaveRun }: SuspendedCall, answers: AnswerCommands): readonly string[] {
  if (mayHaveRun) {
    return [
      `  run it again:       ${answers.approve}`,
      `  use this result:    ${answers.respond}`,
      `  abandon it:         ${answers.deny}`,
    ]
  }
  if (reason === 'model_unavailable') {
    return [
      `  ask it again: ${answers.approve}`,
      `  ask another:  ${answers.another}`,
      `  end the run:  ${answers.deny}`,
    ]
  }
  if (reason === 'input' || reason === 'service' || reason === 'limit') {
    return [`  answer:  ${answers.respond}`, `  refuse:  ${answers.deny}`]
  }
  return [`  approve: ${answers.approve}`, `  deny:    ${answers.deny}`]
}
