import { isRecord } from '../domain/text/json.ts'
import * as is from '../domain/text/option-shape.ts'
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
  is.checkOptions(owner, given, toolShape, otherNames)
  if (isRecord(given)) checkRetry(owner, given)
}

/** Checks the retries: a tool that must not run twice has none, because a person must be asked first. */
function checkRetry(owner: string, { retry, effects = 'once' }: Readonly<Record<string, unknown>>): void {
  if (retry === undefined || effects !== 'once') return
  const wish =
    "Expected effects: 'none' or 'idempotent' beside it: a tool that must not run twice is never tried again."
  throw is.badOption({ field: 'retry', owner }, retry, `The tool's effects are 'once'. ${wish}`)
}

/** Checks one item of a list of tools: a tool, or a toolset. */
export const toolOrToolset: is.OptionCheck = (value) => {
  const isToolset = isRecord(value) && typeof value['tools'] === 'function' && !('execute' in value)
  if (!isToolset) return checkTool(value)
  const owner = typeof value['name'] === 'string' ? `toolset ${JSON.stringify(value['name'])}` : 'a toolset'
  is.checkOptions(owner, value, toolsetShape)
}

const toolsetShape: is.OptionShape<Toolset> = {
  name: is.filledText,
  optional: is.optional(is.flag),
  tools: is.callback,
  changed: is.optional(is.callback),
  close: is.callback,
}

/** Checks that a value is a Standard Schema, or a JSON Schema that values can be checked by. */
export const schema: is.OptionCheck = (value, option) => {
  const isCallable = typeof value === 'function' && '~standard' in value
  if (!isRecord(value) && !isCallable)
    throw is.badOption(option, value, 'Expected a Standard Schema, such as of zod 4, or a JSON Schema.')
  const standard = value['~standard']
  if (standard === undefined && isRecord(value)) return checkJson(value, option)
  if (isRecord(standard) && typeof standard['validate'] === 'function') return
  throw is.badOption(
    option,
    value,
    'Its "~standard" has no method validate. Expected a Standard Schema or a JSON Schema.',
  )
}

/** Rejects a shape without its schema, and a JSON Schema that would fail at each call. */
function checkJson(value: Readonly<Record<string, unknown>>, option: is.OptionName): void {
  if (isShape(value)) {
    const keys = Object.keys(value).slice(0, 20).join(', ')
    const wish = 'Wrap the fields: z.object({ … }), or { type: "object", properties: { … } }.'
    throw is.badOption(option, value, `It has fields (${keys}) and no keyword of JSON Schema. ${wish}`)
  }
  const problem = schemaProblem(value)
  if (problem !== undefined) throw is.badOption(option, value, `This JSON Schema cannot be checked at ${problem}`)
}

const needs = is.expecting(
  "'approval', or a function of the input that gives 'approval' or a boolean",
  (value) => value === 'approval' || typeof value === 'function',
)

const ruleFields = is.expecting(
  "fields by name, each 'command' or a function that resolves a path",
  isByName((one): one is RuleField => one === 'command' || typeof one === 'function'),
)

const toolShape: is.OptionShape<Tool> = {
  name: is.filledText,
  label: is.optional(is.text),
  sourceName: is.optional(is.text),
  description: is.text,
  kind: is.optional(is.oneOf('tool', 'mcp', 'service')),
  annotations: is.optional(is.checkedElsewhere),
  input: schema,
  output: is.optional(schema),
  formats: is.optional(is.oneOf('checked', 'ignored')),
  service: is.optional(is.checkedElsewhere),
  needs: is.optional(needs),
  effects: is.optional(is.oneOf('none', 'idempotent', 'once')),
  retry: is.optional(
    is.options<ToolRetry>(
      {
        attempts: is.wholeFrom(1),
        baseMs: is.optional(is.amount),
        maxMs: is.optional(is.amount),
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
  resume: is.optional(is.oneOf('replay', 'use-as-result', 'pass-to-tool')),
  priority: is.optional(is.number('a finite number', Number.isFinite)),
  ruleFields: is.optional(ruleFields),
  concurrency: is.optional(is.oneOf('exclusive')),
  background: is.optional(is.flag),
  continue: is.optional(is.flag),
  timeoutMs: is.optional(is.checkedElsewhere),
  preview: is.optional(is.callback),
  probe: is.optional(is.callback),
  execute: is.callback,
}

const approval = "needs: 'approval'"
const otherNames: is.OtherNames = {
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
