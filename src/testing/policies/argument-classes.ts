import { parseRule, type PermissionRule } from '../../core/domain/permission-rule.ts'
import { isRecord, type Json, type JsonObject } from '../../core/domain/text/json.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import type { Tool } from '../../core/ports/tool.ts'
import { planTurn } from '../../core/agent/plan-turn.ts'
import { answerOf, optionsOf, type TestedAgent } from '../paths/agent-under-test.ts'
import { jsonSchemaOf, sampleOf } from '../paths/sample-of.ts'

/** Example arguments of a tool, which represent all arguments that the rules treat alike. */
export interface CallClass {
  readonly tool: Tool
  readonly arguments: Json
}

/** The maximum number of candidates for the arguments of one tool. */
const mostCandidates = 256

/**
 * Returns one call of each tool for each set of rules that its arguments can fit: the agent's own permission rules, and
 * those inside policies. Candidates are the agent's samples, and values in the conditions of the rules. Throws a
 * `UsageError` if no candidate fits a rule.
 */
export async function callClasses(
  agent: TestedAgent,
  tools: readonly Tool[],
  rules: readonly PermissionRule[],
): Promise<readonly CallClass[]> {
  const { matchRules } = await import('../../core/domain/match-rules.ts')
  const found: CallClass[] = []
  const fitted = new Set<PermissionRule>()
  for (const tool of tools) {
    const about = rules
      .filter((rule) => rule.isAbout(tool.name))
      .map((rule) => ({ rule, asked: parseRule('deny', rule.text) }))
    const classes = new Map<string, CallClass>()
    for (const given of await candidates(
      agent,
      tool,
      about.map(({ rule }) => rule),
    )) {
      const fits: boolean[] = []
      for (const { rule, asked } of about) {
        const call = { toolName: tool.name, arguments: given, ...(tool.ruleFields && { fields: tool.ruleFields }) }
        const answer = await matchRules([asked], call)
        fits.push(answer !== undefined)
        if (answer?.effect === 'deny') fitted.add(rule)
      }
      const key = fits.join()
      if (!classes.has(key)) classes.set(key, { tool, arguments: given })
    }
    found.push(...classes.values())
  }
  const missed = rules.find((rule) => !fitted.has(rule) && tools.some(({ name }) => rule.isAbout(name)))
  if (missed === undefined) return found
  const wish = `Give arguments that fit it: samples: { <tool>: [{ … }] }.`
  throw new UsageError('bad_option', `No arguments were found that fit the rule ${missed.text}. ${wish}`)
}

async function candidates(agent: TestedAgent, tool: Tool, rules: readonly PermissionRule[]): Promise<readonly Json[]> {
  const type = tool.service?.type
  const given = (type === undefined ? agent.samples?.[tool.name] : agent.serviceSamples?.[type]) ?? []
  const samples = given.length > 0 ? given : [sampleOf(tool.input)]
  const schema = jsonSchemaOf(tool.input)
  const fields = new Map<string, Json[]>()
  for (const { text } of rules)
    for (const [, field = '', , value = ''] of text.matchAll(condition)) {
      const known = fields.get(field) ?? []
      fields.set(field, known)
      for (const one of valuesFor(value, typeAt(schema, field))) if (!known.includes(one)) known.push(one)
    }
  let found: readonly Json[] = samples
  for (const [field, values] of fields) {
    const path = field.split('.')
    found = found.flatMap((one) => [one, ...values.map((value) => withField(one, path, value))])
    if (found.length > mostCandidates)
      throw new UsageError('bad_option', `The rules about tool "${tool.name}" name too many values to try them all.`)
  }
  const fitting: Json[] = []
  for (const one of found) if (await fitsSchema(agent, tool, one)) fitting.push(one)
  return fitting.length === 0 ? found.slice(0, 1) : fitting
}

/** Returns true if the agent's own plan of a call finds no fault with its arguments. */
async function fitsSchema(agent: TestedAgent, { name }: Tool, given: Json): Promise<boolean> {
  const { permissions: _, ...free } = agent
  const script = { name, turns: [[{ id: 'c1', name, arguments: given }]], sample: 1 }
  const [plan] = await planTurn(optionsOf(free, script), 1, answerOf(script, 1))
  return plan?.verdict.kind !== 'refused' || plan.verdict.code !== 'bad_arguments'
}

/** One condition of a rule: its field, operator and value. */
const condition =
  /([A-Za-z_$][\w$-]*(?:\.[\w$-]+)*)\s*(!?[=~])\s*("(?:[^"\\]|\\.)*"|\/(?:[^/\\]|\\.)+\/[iu]*|[^\s,()"/]+)/g

/** Returns values that a condition may tell apart: one that fits its pattern, and one that does not. */
function valuesFor(pattern: string, type: Json | undefined): readonly Json[] {
  const text = pattern.startsWith('/')
    ? plainText(pattern.slice(1, pattern.lastIndexOf('/')))
    : globText(unquoted(pattern))
  const texts = [text, `${text}-other`]
  if (type !== 'number' && type !== 'integer') return type === 'boolean' ? [true, false] : texts
  const number = Number(text)
  return Number.isNaN(number) ? [] : [number, number + 1]
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text
}

/** Returns a text that should fit a glob. */
function globText(glob: string): string {
  return glob
    .replace(/\{([^,}]*)[^}]*\}/g, '$1')
    .replace(/\*\*?|\?/g, 'x')
    .replace(/\[!?([^\]])[^\]]*\]/g, '$1')
}

/** Returns a text that should fit a simple expression. */
function plainText(expression: string): string {
  return expression
    .replace(/^\^|\$$/g, '')
    .replace(/\(([^|()]*)[^()]*\)/g, '$1')
    .replace(/\\d|\[0-9\]/g, '1')
    .replace(/\\w|\[a-z\]|\./gi, 'x')
    .replace(/[*+?]/g, '')
    .replace(/\\(.)/g, '$1')
}

function typeAt(schema: JsonObject | undefined, field: string): Json | undefined {
  const [name = '', ...rest] = field.split('.')
  const properties = schema?.['properties']
  const own = isRecord(properties) ? properties[name] : undefined
  if (!isRecord(own)) return undefined
  return rest.length === 0 ? own['type'] : typeAt(own, rest.join('.'))
}

function withField(value: Json, [name = '', ...rest]: readonly string[], field: Json): Json {
  const own = isRecord(value) ? value : {}
  return { ...own, [name]: rest.length === 0 ? field : withField(own[name] ?? {}, rest, field) }
}
