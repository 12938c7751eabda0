import { phaseNames, rowOf } from '../../../machines/run/run.phases.ts'
import { argumentsOf, type CallRecord, isTerminal } from '../domain/call.ts'
import { nearestName } from '../domain/text/nearest-name.ts'
import type { ToolTable } from '../effects/agent-tools.ts'
import { definitionHash } from '../effects/permissions/definition-hash.ts'
import { checkArguments, ruleAnswer } from '../effects/permissions/judge-call.ts'
import type { RunLog } from '../runtime/run-log.ts'
import type { AgentCore } from './agent-core.ts'

/**
 * The forecast for an open run that would not continue alike, up to the next model answer: it continues `otherwise`, is
 * `stuck`, or is `unknown` if code decides. `atWork` is a run with a call that has neither settled nor suspended.
 */
export type Outlook = 'otherwise' | 'stuck' | 'unknown' | 'atWork'

/** One thing that is said about a run. */
export interface Saying {
  readonly outlook: Outlook
  /** One or two sentences: what would happen, and what to do about it. */
  readonly reason: string
}

/** An open run as new code reads it. */
export interface OpenRun {
  readonly log: RunLog
  readonly subject: string
  /** Undefined if a toolset would have to be opened. */
  readonly tools: ToolTable | undefined
}

/** Returns what is to be said of an open run; empty if it would go on alike. */
export async function forecastRun({ parts }: AgentCore, run: OpenRun): Promise<readonly Saying[]> {
  const open = run.log.calls().filter(({ status, isHold }) => !isTerminal(status) && isHold !== true)
  if (open.some(({ status }) => status !== 'suspended'))
    return [{ outlook: 'atWork', reason: 'A call is under way, or was when its driver stopped. It is settled first.' }]
  const sayings = [...codeThatDecides(parts)]
  for (const call of open) {
    const saying = await sayingOf(parts, call, run)
    if (saying !== undefined && !sayings.some(({ reason }) => reason === saying.reason)) sayings.push(saying)
  }
  return sayings
}

const closedTools: Saying = {
  outlook: 'unknown',
  reason: 'A toolset has to be opened to know its tools.',
}

/** Returns the plugins and policies whose code decides. */
function codeThatDecides({ plugins, permissions }: AgentCore['parts']): readonly Saying[] {
  const decided = plugins.flatMap((plugin) => {
    const moments = phaseNames.filter((phase) => plugin[phase] !== undefined && rowOf(phase).rights?.length !== 0)
    return moments.length === 0 ? [] : [`plugin "${plugin.name}" at ${moments.join(', ')}`]
  })
  if (permissions?.policy !== undefined) decided.push('the permission policy')
  return decided.map((what) => ({ outlook: 'unknown', reason: `Code decides: ${what}.` }))
}

/** Returns the result of approving a suspended call, in the order of a replay's gate. */
async function sayingOf(
  { permissions }: AgentCore['parts'],
  call: CallRecord,
  { log, subject, tools }: OpenRun,
): Promise<Saying | undefined> {
  const { toolName, suspension, resumeMode, isSent } = call
  if (suspension?.reason === 'subAgent')
    return { outlook: 'unknown', reason: `The sub-agent of "${toolName}" decides.` }
  if (resumeMode !== 'replay') return undefined
  if (tools === undefined) return closedTools
  const would = (text: string): Saying => ({ outlook: 'otherwise', reason: text })
  const tool = tools.get(toolName)
  if (tool === undefined) {
    const near = nearestName(toolName, [...tools.keys()])
    const wish = near === undefined ? 'Keep it until no run needs it.' : `Keep the old name beside "${near}".`
    return would(`An approved call of "${toolName}" would fail, because the tool is gone. ${wish}`)
  }
  const given = argumentsOf(call, log)
  const { problem } = isSent === true ? {} : await checkArguments(tool, given, { run: { subject } })
  if (problem !== undefined)
    return would(`An approved call of "${toolName}" would fail, because its arguments no longer fit: ${problem}`)
  if (suspension?.definition !== undefined && suspension.definition !== definitionHash(tool))
    return would(`An approved call of "${toolName}" would be asked about again, because its definition has changed.`)
  const rule = permissions && (await ruleAnswer(permissions, { name: toolName, arguments: given, tool }))
  if (rule?.effect !== 'deny') return undefined
  return would(`An approved call of "${toolName}" would be refused, because of the rule ${rule.rule.text}.`)
}
