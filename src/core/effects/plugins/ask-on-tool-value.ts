import { jsonIn } from '../../domain/text/parse-json.ts'
import { isRecord, freezeDeep, type Json } from '../../domain/text/json.ts'
import { ignoreRejection } from '../../domain/ignore-throws.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import type { SuspensionTicket } from '../../domain/suspension.ts'
import type { Plugin, ToolValue, ToolValues } from '../../ports/plugin.ts'
import type { ToolResult } from '../../ports/tool.ts'
import { failedAt, listening } from '../ask-code.ts'
import { isKeptResult, isToolResult } from '../tools/tool-result.ts'
import { ApplicationError } from '../../domain/application-error.ts'

/**
 * Returns a value after each plugin in turn has changed it; throws a `RefusedValue` if one of them does not return a
 * valid value.
 */
export function askOnToolValue<Kind extends keyof ToolValues>(
  plugins: readonly Plugin[],
  { callId, toolCallId, toolName }: ToolValue['call'],
  kind: Kind,
  value: ToolValues[Kind],
): ToolValues[Kind] {
  let taken = value
  for (const plugin of listening(plugins, 'onToolValue')) {
    const call = { callId, toolCallId, toolName }
    taken = answerOf(plugin, kind, freezeDeep({ call, kind, value: taken } as unknown as ToolValue))
  }
  return taken
}

/** Returns the result of a call, from any source, after each plugin in turn has changed it. */
export function askOnToolResult(plugins: readonly Plugin[], call: ToolValue['call'], result: ToolResult): ToolResult {
  const { status, code } = result
  const taken = askOnToolValue(plugins, call, status === 'error' ? 'error' : 'result', result)
  // A plugin that returns the same error in another form has not replaced it.
  return code !== undefined && taken.status === 'error' && taken.code === undefined ? { ...taken, code } : taken
}

/** Returns the tool's returned value as it is in the processed result. */
export function valueOfResult(returned: Json | undefined, taken: ToolResult): Json | undefined {
  if (isToolResult(returned)) return taken as unknown as Json
  const [block] = taken.content
  if (block?.type !== 'text' || taken.content.length !== 1) return undefined
  return typeof returned === 'string' ? block.text : jsonIn(block.text)
}

type Fits = { readonly [Kind in keyof ToolValues]: (value: unknown) => value is ToolValues[Kind] }

const fits: Fits = {
  result: isKeptResult,
  error: isKeptResult,
  progress: (value) => typeof value === 'string',
  update: (value): value is Json => value !== undefined,
  question: (value): value is SuspensionTicket =>
    isRecord(value) &&
    ['reason', 'message'].every((field) => ['undefined', 'string'].includes(typeof value[field])) &&
    ['undefined', 'number'].includes(typeof value['expiresAt']),
}

const wishes: { readonly [Kind in keyof ToolValues]: string } = {
  result: '{ content, status?, details? }',
  error: '{ content, status?, details? }',
  progress: 'a text',
  update: 'JSON',
  question: '{ reason?, message?, parameters?, … }',
}

function answerOf<Kind extends keyof ToolValues>(plugin: Plugin, kind: Kind, given: ToolValue): ToolValues[Kind] {
  const answer = asked(plugin, given)
  const wish = `Expected ${wishes[kind]}, as it was given.`
  if (answer instanceof Promise) {
    ignoreRejection(answer)
    throw failed(plugin, given, `it returned a promise. ${wish} It must answer synchronously.`)
  }
  const copied = copyJson(answer)
  if (copied.problem !== undefined) throw failed(plugin, given, `its answer is not JSON. ${wish}`)
  const { value } = copied
  if (!fits[kind](value)) throw failed(plugin, given, `it returned a value of another shape. ${wish}`)
  return value
}

/** An error may hold the value, so its text is neither emitted nor stored. */
function asked(plugin: Plugin, given: ToolValue): unknown {
  try {
    return plugin.onToolValue?.(given)
  } catch {
    throw failed(plugin, given, 'it threw. The exception is not stored, because it may contain the hidden text.')
  }
}

function failed({ name }: Plugin, { kind, call }: ToolValue, problem: string): RefusedValue {
  const about = `asked about a value (${kind}) of call "${call.callId}"`
  return new RefusedValue(`${failedAt(name, 'onToolValue')}, ${about}: ${problem}`)
}

/** Thrown if a plugin fails on an incoming value. The message contains nothing of the value. */
export class RefusedValue extends ApplicationError {
  override readonly name = 'RefusedValue'
}
