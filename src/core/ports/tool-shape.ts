import { isRecord } from '../domain/text/json.ts'
import {
  amount,
  badOption,
  callback,
  checkedElsewhere,
  checkOptions,
  expecting,
  filledText,
  flag,
  number,
  oneOf,
  optional,
  type OptionName,
  options,
  type OptionCheck,
  type OptionShape,
  type OtherNames,
  text,
} from '../domain/text/option-shape.ts'
import { schemaProblem } from '../domain/json-schema/checkable-schema.ts'
import { isShape } from '../domain/json-schema/keyword-problem.ts'
import type { RuleField } from '../domain/match-rules.ts'
import { isByName } from '../domain/text/shape.ts'
import type { Tool, ToolRetry } from './tool.ts'
import type { Toolset } from './toolset.ts'

/** Throws a `UsageError` for a tool with an unknown or invalid field. */
export function checkTool(given: unknown): void {
  const owner =
    isRecord(given) && typeof given['name'] === 'string' ? `tool ${JSON.stringify(given['name'])}` : 'a tool'
  checkOptions(owner, given, toolShape, otherNames)
  if (isRecord(given)) checkRetry(owner, given)
}

/** Checks the retries: a tool that must not run twice has none, because a person must be asked first. */
function checkRetry(owner: string, { retry, effects = 'once' }: Readonly<Record<string, unknown>>): void {
  if (retry === undefined || effects !== 'once') return
  const wish =
    "Expected effects: 'none' or 'idempotent' beside it: a tool that must not run twice is never tried again."
  throw badOption({ field: 'retry', owner }, retry, `The tool's effects are 'once'. ${wish}`)
}

/** Checks one item of a list of tools: a tool, or a toolset. */
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

/** Checks that a value is a Standard Schema, or a JSON Schema that values can be checked by. */
export const schema: OptionCheck = (value, option) => {
  const isCallable = typeof value === 'function' && '~standard' in value
  if (!isRecord(value) && !isCallable)
    throw badOption(option, value, 'Expected a Standard Schema, such as of zod 4, or a JSON Schema.')
  const standard = value['~standard']
  if (standard === undefined && isRecord(value)) return checkJson(value, option)
  if (isRecord(standard) && typeof standard['validate'] === 'function') return
  throw badOption(option, value, 'Its "~standard" has no method validate. Expected a Standard Schema or a JSON Schema.')
}

/** Rejects a shape without its schema, and a JSON Schema that would fail at each call. */
function checkJson(value: Readonly<Record<string, unknown>>, option: OptionName): void {
  if (isShape(value)) {
    const keys = Object.keys(value).slice(0, 20).join(', ')
    const wish = 'Wrap the fields: z.object({ … }), or { type: "object", properties: { … } }.'
    throw badOption(option, value, `It has fields (${keys}) and no keyword of JSON Schema. ${wish}`)
  }
  const problem = schemaProblem(value)
  if (problem !== undefined) throw badOption(option, value, `This JSON Schema cannot be checked at ${problem}`)
}

const needs = expecting(
  "'approval', or a function of the input that gives 'approval' or a boolean",
  (value) => value === 'approval' || typeof value === 'function',
)

const ruleFields = expecting(
  "fields by name, each 'command' or a function that resolves a path",
  isByName((one): one is RuleField => one === 'command' || typeof one === 'function'),
)

const toolShape: OptionShape<Tool> = {
  name: filledText,
  label: optional(text),
  sourceName: optional(text),
  description: text,
  kind: optional(oneOf('tool', 'mcp', 'service')),
  annotations: optional(checkedElsewhere),
  input: schema,
  output: optional(schema),
  formats: optional(oneOf('checked', 'ignored')),
  service: optional(checkedElsewhere),
  needs: optional(needs),
  effects: optional(oneOf('none', 'idempotent', 'once')),
  retry: optional(
    options<ToolRetry>(
      {
        attempts: number('a whole number of 1 or more', (value) => Number.isSafeInteger(value) && value >= 1),
        baseMs: optional(amount),
        maxMs: optional(amount),
      },
      {
        maxAttempts: 'attempts',
        retries: 'attempts',
        maxRetries: 'attempts',
        initialDelayMs: 'baseMs',
        maxDelayMs: 'maxMs',
      },
    ),
  ),
  resume: optional(oneOf('replay', 'use-as-result', 'pass-to-tool')),
  priority: optional(number('a finite number', Number.isFinite)),
  ruleFields: optional(ruleFields),
  concurrency: optional(oneOf('exclusive')),
  background: optional(flag),
  continue: optional(flag),
  timeoutMs: optional(checkedElsewhere),
  preview: optional(callback),
  probe: optional(callback),
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
  retries: 'retry: { attempts }',
  maxRetries: 'retry: { attempts }',
  title: 'label',
  run: 'execute',
  call: 'execute',
  handler: 'execute',
  func: 'execute',
}
