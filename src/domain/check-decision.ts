import type { ResumeMode } from './call.ts'
import type { Decision, DecisionAction, DecisionScope } from './decision.ts'
import { type Json, jsonBytes } from './json.ts'
import { copyJson } from './json-copy.ts'
import { maxArgumentBytes } from './json-limits.ts'
import { nearestName } from './nearest-name.ts'
import { type Payload, unreadPayload } from './unread-payload.ts'
import { thrownText } from './thrown-text.ts'

const actions: readonly DecisionAction[] = ['resume', 'cancel']
const modes: readonly ResumeMode[] = ['replay', 'use-as-result', 'pass-to-tool']
const scopes: readonly DecisionScope[] = ['once', 'run', 'always']

/** A decision of sound shape, copied, or what is wrong with it. */
export type CheckedDecision = { readonly decision: Decision } | { readonly target: string; readonly problem: string }

/**
 * Checks the shape of one item handed to `decide`, whatever its source; never throws. It is read here once, and what comes
 * of it is plain: nothing of the caller's runs while a store holds its lock.
 */
export function checkDecision(item: unknown): CheckedDecision {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    const got = Array.isArray(item) ? 'an array' : String(item)
    return { target: '', problem: `A decision is an object { target, action, … }; got ${got}.` }
  }
  const read = fieldsOf(item)
  if (typeof read === 'string') return { target: '', problem: `The decision could not be read: ${read}` }
  const fields = new Map<string, unknown>(Object.entries(read))
  const target = fields.get('target')
  if (typeof target !== 'string')
    return { target: '', problem: 'A decision needs a "target": the id of a call or suspension.' }
  if (!target.isWellFormed()) return { target, problem: '"target" holds half of a character, which no id does.' }
  const problems: string[] = [...unknownFields(fields), ...emptyPayloads(fields)]
  const reader = { fields: readable(fields, problems), problems }
  const action = oneOf(reader, 'action', actions)
  const mode = oneOf(reader, 'mode', modes)
  const scope = oneOf(reader, 'scope', scopes)
  const decisionId = text(reader, 'decisionId')
  const reason = text(reader, 'reason')
  const by = text(reader, 'by')
  const input = reader.fields.get('input')
  const result = reader.fields.get('result')
  if (decisionId?.isWellFormed() === false) problems.push('"decisionId" holds half of a character; leave it out.')
  if (decisionId === '') problems.push('"decisionId" is empty; leave it out or give it a value.')
  if (action === undefined) {
    if (fields.get('action') === undefined) problems.unshift(`"action" is missing; expected ${listed(actions)}.`)
    return { target, problem: problems.join(' ') }
  }
  problems.push(...unreadPayloads(action, mode, { input, result }))
  if (problems.length > 0) return { target, problem: problems.join(' ') }
  return {
    decision: {
      target,
      action,
      ...(decisionId === undefined ? {} : { decisionId }),
      ...(mode === undefined ? {} : { mode }),
      ...(input === undefined ? {} : { input }),
      ...(result === undefined ? {} : { result }),
      ...(reason === undefined ? {} : { reason }),
      ...(scope === undefined ? {} : { scope }),
      ...(by === undefined ? {} : { by }),
    },
  }
}

/** The fields of a decision; the time of receipt is the store's to say. */
const known = ['target', 'decisionId', 'action', 'mode', 'input', 'result', 'reason', 'scope', 'by', 'at']

function unknownFields(fields: ReadonlyMap<string, unknown>): readonly string[] {
  const names = [...fields.keys()].filter((name) => !known.includes(name))
  return names.map((name) => {
    const near = nearestName(name, known)
    const hint = near === undefined ? `A decision has ${known.join(', ')}.` : `Did you mean "${near}"?`
    return `"${name.slice(0, 100)}" is no field of a decision. ${hint}`
  })
}

/** A value that was meant and is not there: taken for none, it would let the call run as the model asked. */
function emptyPayloads(fields: ReadonlyMap<string, unknown>): readonly string[] {
  return ['input', 'result'].flatMap((name) =>
    fields.has(name) && fields.get(name) === undefined ? [`"${name}" is there without a value.`] : [],
  )
}

/** What is given and nobody would read. */
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

/** Every field of an item, each read once; a text that says why it could not be read. */
function fieldsOf(item: object): Readonly<Record<string, unknown>> | string {
  try {
    return { ...item }
  } catch (error) {
    return thrownText(error)
  }
}

/** The fields as plain JSON; those that are none, and all of them where together they are too large, are problems. */
function readable(fields: ReadonlyMap<string, unknown>, problems: string[]): ReadonlyMap<string, Json> {
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
  if (left < 0) problems.push(`All of it has ${maxArgumentBytes - left} bytes; at most ${maxArgumentBytes} are taken.`)
  return plain
}

interface FieldReader {
  readonly fields: ReadonlyMap<string, Json>
  readonly problems: string[]
}

function oneOf<Value extends string>({ fields, problems }: FieldReader, name: string, allowed: readonly Value[]) {
  const found = fields.get(name)
  const value = allowed.find((candidate) => candidate === found)
  if (value === undefined && found !== undefined) {
    problems.push(`"${name}" is ${shown(found)}; expected ${listed(allowed)}.`)
  }
  return value
}

function text({ fields, problems }: FieldReader, name: string): string | undefined {
  const found = fields.get(name)
  if (found === undefined || typeof found === 'string') return found
  problems.push(`"${name}" is ${shown(found)}; expected a string.`)
  return undefined
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : value === null ? 'null' : typeof value
}

function listed(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(' or ')
}
