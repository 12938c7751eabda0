import type { ResumeMode } from '../../domain/call.ts'
import type { Decision, DecisionAction, DecisionScope } from '../../domain/decision.ts'
import type { Json } from '../../domain/json.ts'
import { jsonProblem, parseJson, stringifyJson } from './json-text.ts'

const actions: readonly DecisionAction[] = ['resume', 'cancel']
const modes: readonly ResumeMode[] = ['replay', 'use-as-result', 'pass-to-tool']
const scopes: readonly DecisionScope[] = ['once', 'run', 'always']

/** Bytes of JSON a decision's input or result may have. */
const maxPayloadBytes = 1_000_000

/** A decision of sound shape, copied without fields we do not know, or what is wrong with it. */
export type CheckedDecision = { readonly decision: Decision } | { readonly target: string; readonly problem: string }

/** Checks the shape of one item handed to `decide`, whatever its source; never throws. */
export function checkDecision(item: unknown): CheckedDecision {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    return {
      target: '',
      problem: `A decision is an object { target, action, … }; got ${Array.isArray(item) ? 'an array' : String(item)}.`,
    }
  }
  const fields = new Map<string, unknown>(Object.entries(item))
  const target = fields.get('target')
  if (typeof target !== 'string')
    return { target: '', problem: 'A decision needs a "target": the id of a call or suspension.' }
  const problems: string[] = []
  const reader = { fields, problems }
  const action = oneOf(reader, 'action', actions)
  const mode = oneOf(reader, 'mode', modes)
  const scope = oneOf(reader, 'scope', scopes)
  const decisionId = text(reader, 'decisionId')
  const reason = text(reader, 'reason')
  const by = text(reader, 'by')
  const input = json(reader, 'input')
  const result = json(reader, 'result')
  if (decisionId === '') problems.push('"decisionId" is empty; leave it out or give it a value.')
  if (action === undefined) {
    if (fields.get('action') === undefined) problems.unshift(`"action" is missing; expected ${listed(actions)}.`)
    return { target, problem: problems.join(' ') }
  }
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

interface FieldReader {
  readonly fields: ReadonlyMap<string, unknown>
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

function json({ fields, problems }: FieldReader, name: string): Json | undefined {
  const found = fields.get(name)
  if (found === undefined) return undefined
  const problem = jsonProblem(found)
  if (problem === undefined) {
    const value = stringifyJson(found, name)
    const size = Buffer.byteLength(value)
    if (size <= maxPayloadBytes) return parseJson(value)
    problems.push(`"${name}" has ${size} bytes; at most ${maxPayloadBytes} are taken.`)
    return undefined
  }
  problems.push(`"${name}" is not plain JSON. ${problem}`)
  return undefined
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : value === null ? 'null' : typeof value
}

function listed(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(' or ')
}
