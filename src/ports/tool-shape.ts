import { isRecord } from '../domain/json.ts'
import {
  badOption,
  callback,
  checkedElsewhere,
  checkOptions,
  filledText,
  flag,
  number,
  oneOf,
  optional,
  type OptionCheck,
  type OptionShape,
  type OtherNames,
  text,
} from '../domain/option-shape.ts'
import type { Tool } from './tool.ts'
import type { Toolset } from './toolset.ts'

/** Throws a `UsageError` where a tool has a field that means nothing, or one that cannot mean what it says. */
export function checkTool(given: unknown): void {
  const owner =
    isRecord(given) && typeof given['name'] === 'string' ? `tool ${JSON.stringify(given['name'])}` : 'a tool'
  checkOptions(owner, given, toolShape, otherNames)
}

/** The check of an item of a list of tools: a tool, or a toolset. */
export const toolOrToolset: OptionCheck = (value) => {
  const isToolset = isRecord(value) && typeof value['tools'] === 'function' && !('execute' in value)
  if (!isToolset) return checkTool(value)
  const owner = typeof value['name'] === 'string' ? `toolset ${JSON.stringify(value['name'])}` : 'a toolset'
  checkOptions(owner, value, toolsetShape)
}

const toolsetShape: OptionShape<Toolset> = {
  name: filledText,
  optional: optional(flag),
  tools: callback,
  changed: optional(callback),
  close: callback,
}

const schema: OptionCheck = (value, option) => {
  if (!isRecord(value))
    throw badOption(option, value, 'Expected a Standard Schema, such as of zod 4, or a JSON Schema.')
  const standard = value['~standard']
  if (standard === undefined || (isRecord(standard) && typeof standard['validate'] === 'function')) return
  throw badOption(option, value, 'Its "~standard" has no method validate. Expected a Standard Schema or a JSON Schema.')
}

const needs: OptionCheck = (value, option) => {
  if (value === 'approval' || typeof value === 'function') return
  throw badOption(option, value, "Expected 'approval', or a function of the input that gives 'approval' or a boolean.")
}

const toolShape: OptionShape<Tool> = {
  name: filledText,
  label: optional(text),
  sourceName: optional(text),
  description: text,
  input: schema,
  output: optional(schema),
  needs: optional(needs),
  effects: optional(oneOf('none', 'idempotent', 'once')),
  resume: optional(oneOf('replay', 'use-as-result', 'pass-to-tool')),
  priority: optional(number('a finite number', Number.isFinite)),
  concurrency: optional(oneOf('exclusive')),
  timeoutMs: optional(checkedElsewhere),
  preview: optional(callback),
  execute: callback,
}

const approval = "needs: 'approval'"
const otherNames: OtherNames = {
  needsApproval: approval,
  requiresApproval: approval,
  requireApproval: approval,
  approval,
  inputSchema: 'input',
  parameters: 'input',
  schema: 'input',
  args: 'input',
  outputSchema: 'output',
  sideEffects: 'effects',
  idempotent: "effects: 'idempotent'",
  exclusive: "concurrency: 'exclusive'",
  timeout: 'timeoutMs',
  title: 'label',
  run: 'execute',
  call: 'execute',
  handler: 'execute',
  func: 'execute',
}
