import { argumentsOf, type CallRecord, type ResumeMode } from '../../domain/call.ts'
import { canonicalJson } from '../../domain/text/json.ts'
import { nearestName } from '../../domain/text/nearest-name.ts'
import { definitionHash } from '../../effects/permissions/definition-hash.ts'
import { checkArguments, rulesAcross } from '../../effects/permissions/judge-call.ts'
import { jsonSchemaOf } from '../../effects/tools/json-schema-of.ts'
import { payloadProblem } from '../../effects/tools/payload-problem.ts'
import type { OwnParts } from '../../driving/agent-core.ts'
import type { Tool } from '../../ports/tool.ts'
import { type Saying, would } from './saying.ts'
import { nextOf, type AskedCall, type ForecastRun, type Next } from './open-call.ts'
import { brokenPolicy } from './broken-policy.ts'

/** The forecast for one open call. */
export interface CallForecast {
  /** Empty if the call would continue in the same way. */
  readonly sayings: readonly Saying[]
  /** True if plugins and a policy are asked about the call before it runs. */
  readonly isGated: boolean
}

/** The words of each saying after which a call is suspended again. */
export const askedAgain = 'asked about again'

/** Returns the forecast for an open call. With `before`, it also includes differences from the earlier code. */
export async function forecastCall(
  parts: OwnParts,
  call: CallRecord,
  run: ForecastRun,
  before?: OwnParts,
): Promise<CallForecast> {
  const tool = toolOf(parts, call)
  const next = nextOf(call, tool, run)
  const isGated = next.kind === 'replay' || next.kind === 'start' || next.kind === 'interrupted'
  const asked = { call, tool, next, run }
  const { saying: first, isOver } = await sayingBefore(parts, asked)
  const then = isOver ? undefined : await sayingOf(parts, { ...asked, before })
  return { sayings: [first, then].filter((saying) => saying !== undefined), isGated }
}

/** Returns the tool of a call, as it is known now. */
export function toolOf({ tools }: OwnParts, { toolName }: CallRecord): Tool | undefined {
  return (tools.known ?? tools.own).get(toolName)
}

interface Compared extends AskedCall {
  readonly before: OwnParts | undefined
}

/** Returns the result of an approval. The order is that of the gate of a replay. */
async function sayingOf(parts: OwnParts, asked: Compared): Promise<Saying | undefined> {
  const { call, tool, next, run, before } = asked
  const { toolName, isSent } = call
  if (next.kind === 'over') return undefined
  const decision = 'decision' in next ? next.decision : undefined
  const mode = 'mode' in next ? next.mode : 'replay'
  const takesValue = mode !== 'replay' && decision === undefined
  const otherSchema = takesValue && before !== undefined ? valueChange(before, asked, mode) : undefined
  if (mode === 'use-as-result')
    return otherSchema ?? dropped(toolName, decision && (await payloadProblem(call, { ...decision, mode }, tool)))
  const name = `${next.kind === 'again' ? 'A resumed' : 'An approved'} call of "${toolName}"`
  if (tool === undefined) return parts.tools.known === undefined ? closedTools : would(`${name} ${gone(parts, call)}`)
  const problem = decision && (await payloadProblem(call, { ...decision, mode }, tool))
  const edit = mode === 'pass-to-tool' ? decision?.result : decision?.input
  const given = problem === undefined && edit !== undefined ? edit : argumentsOf(call, run.log)
  const isChecked = isSent !== true && !takesValue && given !== edit
  const invalid = isChecked ? (await checkArguments(tool, given, { run: run.details })).problem : undefined
  if (invalid !== undefined) return would(`${name} would fail, because its arguments no longer fit: ${invalid}`)
  if (next.kind === 'again' || (next.kind === 'start' && !next.isAsking)) return undefined
  const definition = definitionShown(call, next)
  if (definition !== undefined && definition !== definitionHash(tool))
    return would(`${name} would be ${askedAgain}, because its definition has changed.`)
  if (problem !== undefined) return dropped(toolName, problem)
  // No rule about an argument matches a value that nobody has given yet.
  const ruled = await rulesAcross(parts, { name: toolName, arguments: takesValue ? {} : given, tool }, run.details)
  if (ruled?.effect === 'deny') return would(`${name} would be refused, because of the rule ${ruled.rule.text}.`)
  return (await brokenPolicy(parts, asked, decision, true)) ?? otherSchema
}

/**
 * A call that has not asked yet keeps the definition itself; an interrupted one is asked about without a definition.
 */
function definitionShown({ status, definition, suspension }: CallRecord, { kind }: Next): string | undefined {
  if (kind === 'interrupted') return undefined
  return status === 'new' ? (definition ?? suspension?.definition) : suspension?.definition
}

const closedTools: Saying = { outlook: 'unknown', reason: 'A toolset has to be opened to know its tools.' }

function dropped(toolName: string, problem: string | undefined): Saying | undefined {
  if (problem === undefined) return undefined
  return would(`A stored answer to "${toolName}" would be dropped, and the call ${askedAgain}: ${problem}`)
}

/** Suggests a tool with the definition of the missing one, or else with a similar name. */
function gone({ tools }: OwnParts, { toolName, suspension, definition = suspension?.definition }: CallRecord): string {
  const known = [...(tools.known ?? tools.own).values()]
  const same = known.find((tool) => definitionHash({ ...tool, name: toolName }) === definition)?.name
  const near =
    same ??
    nearestName(
      toolName,
      known.map(({ name }) => name),
    )
  const wish = near === undefined ? 'Keep it until no run needs it.' : `Keep the old name beside "${near}".`
  return `would fail, because the tool is gone. ${wish}`
}

/** Compares the schemas by which both versions check a value that somebody gives. */
function valueChange(before: OwnParts, { call, tool }: AskedCall, mode: ResumeMode): Saying | undefined {
  const old = toolOf(before, call)
  const schemaOf = (one: Tool | undefined) => {
    const schema = mode === 'use-as-result' ? one?.output : one?.input
    return schema === undefined ? '' : canonicalJson(jsonSchemaOf(schema))
  }
  if (schemaOf(old) === schemaOf(tool)) return undefined
  return would(`An answer to a call of "${call.toolName}" would be checked by another schema.`)
}

/** The forecast for a call before somebody approves it. */
interface Before {
  readonly saying?: Saying
  /** True if no approval follows. */
  readonly isOver: boolean
}

/** Returns the forecast for a call that has not asked yet: one that is about to start, or that was under way. */
async function sayingBefore(parts: OwnParts, asked: AskedCall): Promise<Before> {
  const { call, tool, next, run } = asked
  const { toolName: name } = call
  if (next.kind === 'start') {
    const ruled = await rulesAcross(parts, { name, arguments: argumentsOf(call, run.log), tool }, run.details)
    const isAsking = next.isAsking || ruled?.effect === 'ask'
    const broken = isAsking || ruled?.effect === 'deny' ? undefined : await brokenPolicy(parts, asked, undefined, false)
    if (broken !== undefined) return { saying: broken, isOver: true }
    if (ruled === undefined || ruled.effect === 'allow' || (ruled.effect === 'ask' && next.isAsking))
      return { isOver: false }
    const { effect, rule } = ruled
    const what = effect === 'deny' ? 'refused' : 'asked about'
    return {
      saying: would(`A call of "${name}" would be ${what}, because of the rule ${rule.text}.`),
      isOver: effect === 'deny',
    }
  }
  if (next.kind !== 'interrupted' || tool === undefined) return { isOver: false }
  if (tool.probe !== undefined) {
    const reason = `Code decides: the probe of the tool "${name}".`
    return { saying: { outlook: 'unknown', reason }, isOver: true }
  }
  if (!next.isNew) return { isOver: false }
  const reason = `A call of "${name}" that was under way would be asked about, because the tool must not act twice.`
  return { saying: would(reason), isOver: false }
}
