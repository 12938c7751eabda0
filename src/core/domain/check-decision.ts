import type { ResumeMode } from './call.ts'
import type { Decision, DecisionAction } from './decision.ts'
import { type DecisionScope, decisionScopes, scopeWords } from './decision-scope.ts'
import { isRecord, type Json, jsonBytes, type JsonObject } from './text/json.ts'
import { copyJson } from './text/json-copy.ts'
import { maxArgumentBytes } from './text/json-limits.ts'
import { nearestName } from './text/nearest-name.ts'
import { type Fits, isOneOf, isText } from './text/shape.ts'
import { type Payload, unreadPayload } from './unread-payload.ts'
import { thrownText } from './text/thrown-text.ts'

const isAction = isOneOf<DecisionAction>('resume', 'cancel')
const isMode = isOneOf<ResumeMode>('replay', 'use-as-result', 'pass-to-tool')
/** Returns true for the scope of a decision. */
export const isScope = isOneOf<DecisionScope>(...decisionScopes)

/** The expected value of each typed field, in words and as a check. */
const wanted = {
  action: ['"resume" or "cancel"', isAction],
  mode: ['"replay" or "use-as-result" or "pass-to-tool"', isMode],
  scope: [scopeWords, isScope],
  decisionId: ['a string', isText],
  reason: ['a string', isText],
  by: ['a string', isText],
} as const satisfies { readonly [Field in keyof Decision]?: readonly [wish: string, fits: Fits] }

/** A valid copy of a decision, or the problem with it. */
export type CheckedDecision = { readonly decision: Decision } | { readonly target: string; readonly problem: string }

/**
 * Checks the shape of one item of `decide` from any source; never throws. Reads the item once and returns plain data,
 * so that no code of the caller runs while a store holds its lock.
 */
export function checkDecision(item: unknown): CheckedDecision {
  if (!isRecord(item)) {
    const got = Array.isArray(item) ? 'an array' : String(item)
    return { target: '', problem: `A decision is an object { target, action, … }; got ${got}.` }
  }
  const read = fieldsOf(item)
  if (typeof read === 'string') return { target: '', problem: `The decision could not be read: ${read}` }
  const fields = new Map<string, unknown>(Object.entries(read))
  const target = fields.get('target')
  if (typeof target !== 'string')
    return { target: '', problem: 'A decision needs a "target": the id of a call or suspension.' }
  if (!target.isWellFormed()) return { target, problem: '"target" contains half of a character.' }
  const problems: string[] = [...unknownFields(fields), ...emptyPayloads(fields)]
  const plain = readable(fields, problems)
  const { action, mode, input, result, decisionId } = plain
  problems.push(...misfits(plain))
  if (isText(decisionId) && !decisionId.isWellFormed())
    problems.push('"decisionId" contains half of a character; leave it out.')
  if (decisionId === '') problems.push('"decisionId" is empty; leave it out or give it a value.')
  if (fields.get('action') === undefined) problems.unshift(`"action" is missing; expected ${wanted.action[0]}.`)
  if (isAction(action)) problems.push(...unreadPayloads(action, isMode(mode) ? mode : undefined, { input, result }))
  if (problems.length > 0) return { target, problem: problems.join(' ') }
  const { at: _, ...decision } = plain
  return { decision: decision as unknown as Decision }
}

/** The fields of a decision; the store sets the time of receipt. */
const known = ['target', 'decisionId', 'action', 'mode', 'input', 'result', 'reason', 'scope', 'by', 'at']

function unknownFields(fields: ReadonlyMap<string, unknown>): readonly string[] {
  const names = [...fields.keys()].filter((name) => !known.includes(name))
  return names.map((name) => {
    const near = nearestName(name, known)
    const hint = near === undefined ? `A decision has ${known.join(', ')}.` : `Did you mean "${near}"?`
    return `"${name.slice(0, 100)}" is not a field of a decision. ${hint}`
  })
}

/** Reports a payload field with the value undefined. Ignoring it would run the call with the model's arguments. */
function emptyPayloads(fields: ReadonlyMap<string, unknown>): readonly string[] {
  return ['input', 'result'].flatMap((name) =>
    fields.has(name) && fields.get(name) === undefined ? [`"${name}" has no value.`] : [],
  )
}

/** Reports payloads that nothing would read. */
function unreadPayloads(
  action: DecisionAction,
  mode: ResumeMode | undefined,
  { input, result }: Payload,
): readonly string[] {
  if (action === 'cancel') {
    const given = Object.entries({ mode, input, result }).flatMap(([name, value]) => (value === undefined ? [] : name))
    return given.map((name) => `"cancel" reads no "${name}"; say why in "reason".`)
  }
  const problem = mode === undefined ? undefined : unreadPayload(mode, { input, result })
  return problem === undefined ? [] : [problem]
}

/** Returns every field of an item, each read once, or a text that says why it could not be read. */
function fieldsOf(item: object): Readonly<Record<string, unknown>> | string {
  try {
    return { ...item }
  } catch (error) {
    return thrownText(error)
  }
}

/** Returns the fields as plain JSON; reports fields that are not JSON, and fields that are too large together. */
function readable(fields: ReadonlyMap<string, unknown>, problems: string[]): JsonObject {
  const plain = new Map<string, Json>()
  let left = maxArgumentBytes
  for (const [name, value] of fields) {
    if (value === undefined) continue
    const copied = copyJson(value, { isStrict: true, mostBytes: maxArgumentBytes })
    if (copied.problem !== undefined) {
      problems.push(`"${name}" ${copied.problem}.`)
      continue
    }
    left -= jsonBytes(copied.value)
    plain.set(name, copied.value)
  }
  if (left < 0)
    problems.push(`The decision has ${maxArgumentBytes - left} bytes; at most ${maxArgumentBytes} are accepted.`)
  return Object.fromEntries(plain)
}

function misfits(plain: JsonObject): readonly string[] {
  return Object.entries(wanted).flatMap(([name, [wish, fits]]) => {
    const found = plain[name]
    return found === undefined || fits(found) ? [] : `"${name}" is ${shown(found)}; expected ${wish}.`
  })
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : value === null ? 'null' : typeof value
}
