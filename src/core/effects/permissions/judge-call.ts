import type { Verdict } from '../../domain/call-plan.ts'
import type { Json } from '../../domain/text/json.ts'
import type { Write } from '../../domain/log.ts'
import type { ToolCallContent } from '../../domain/message.ts'
import { type JoinedAnswer, joinLevels } from '../../domain/join-levels.ts'
import type { RuleAnswer } from '../../domain/match-rules.ts'
import { decisionScopes } from '../../domain/decision-scope.ts'
import {
  type AskedBy,
  type Grant,
  type Granted,
  type GrantQuestion,
  grantsFor,
  hashOfCall,
} from '../../domain/grant.ts'
import type { RunDetails } from '../../domain/run-details.ts'
import type { Suspension } from '../../domain/suspension.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { PermissionAnswer } from '../../ports/permissions.ts'
import type { Tool } from '../../ports/tool.ts'
import { ask, type AskBounds } from '../ask-code.ts'
import type { ToolTable } from '../agent-tools.ts'
import type { AgentParts } from '../agent-parts.ts'
import type { Authorise } from './authorise.ts'
import { checkValue } from '../tools/check-value.ts'
import { definitionHash } from './definition-hash.ts'
import { type PermissionParts, shownTools } from './permission-parts.ts'
import { checkSent } from '../tools/service-tool.ts'

/** The origin of a verdict; `nobody` if nobody objected to the call. */
export type VerdictSource =
  | 'answer'
  | 'plugin'
  | 'rule'
  | 'registry'
  | 'arguments'
  | 'manager'
  | 'grant'
  | 'tool'
  | 'earlier'
  | 'nobody'

/** The verdict on a call, its origin and its writes. */
export interface CallJudgement {
  readonly verdict: Verdict
  readonly source: VerdictSource
  readonly writes: readonly Write[]
  /** The rule that asks and its agent, the reason if it differs from the rule, and the possible scopes of an answer. */
  readonly question?: Pick<Suspension, 'rule' | 'asker' | 'message' | 'scopes'>
  /** The grants that the call runs by: one for each question. */
  readonly grants?: readonly Grant[]
}

/** The verdict of the agent's rules or of one plugin, computed only if needed. */
export type Saying = () => Pick<CallJudgement, 'verdict' | 'writes'>

/** The plugins' verdicts on a call. */
export interface PluginSayings {
  readonly block?: Saying
  readonly result?: Saying
  /** Absent too if a decision has answered it. */
  readonly suspend?: Saying
}

/** A call as it is judged: as the model requested it, or as a person has changed it. */
export interface JudgedCall extends Pick<ToolCallContent, 'callId' | 'name' | 'arguments' | 'truncated' | 'malformed'> {
  /** Undefined for one that does not exist, or was not offered. */
  readonly tool: Tool | undefined
  /** Absent if no plugin has been asked. */
  readonly says?: PluginSayings
  /** The earlier verdict of the plan or of a person: the arguments and needs are not checked again. */
  readonly standing?: Verdict
  /** True if a decision has answered its question. */
  readonly isAnswered?: boolean
  /** Asks who authorises tools; undefined for a tool that needs no authorisation. */
  readonly authorised?: () => Promise<PermissionAnswer | undefined>
}

/** The dependencies of a judgement. */
export interface JudgeParts extends Pick<
  AgentParts,
  'name' | 'pluginTimeoutMs' | 'permissions' | 'inherited' | 'rulesOfSpeaker' | 'isInFamily'
> {
  /** Those the model was offered. */
  readonly tools: ToolTable
  /** Further tools, whose calls fail. */
  readonly unoffered?: ToolTable
  /** Asks the permission manager; absent without one. */
  readonly authorise?: Authorise
}

interface JudgeContext extends Pick<EffectContext, 'ids' | 'clock' | 'signal' | 'grants'> {
  /** The run, whose subject is part of the arguments that a service checks. */
  readonly run: Pick<EffectContext['run'], 'subject' | 'speakers'>
}

/**
 * Judges a call: as a new call in the plan, again at the call gate after the plugins, and at the gate of a replay. The
 * order is: a plugin's block, its result, a rule that denies, an unknown tool, bad arguments, the authorisation, a rule
 * that asks, a rule that allows, the tool's needs, a plugin's question. A grant answers the question of a rule or of
 * the tool's needs instead of a person, each question separately. So nobody is asked about a call that could not run;
 * an approval or a grant never replaces an authorisation or a plugin's question, and never overrides a rule that
 * denies.
 */
export async function judgeCall(parts: JudgeParts, call: JudgedCall, context: JudgeContext): Promise<CallJudgement> {
  const { block, result, suspend } = call.says ?? {}
  if (block !== undefined) return { ...block(), source: 'plugin' }
  if (result !== undefined) return { ...result(), source: 'plugin' }
  const looked = await lookAt(parts, call, context)
  const own =
    looked.refusal ??
    (call.authorised && (await unauthorised(call.authorised))) ??
    (await askedFor(parts, call, looked, context))
  if (suspend === undefined || own.verdict.kind === 'refused') return own
  return { ...suspend(), source: 'plugin' }
}

/** The facts about a call before anybody is asked about it. */
export interface LookedAt {
  /** Absent if the call could run. */
  readonly refusal?: CallJudgement
  /** The arguments as the schema of the tool gives them. */
  readonly input?: unknown
  readonly rule?: JoinedAnswer
}

/** Checks whether a call could run at all. Asks nobody outside, so it can first be done for a whole round. */
export async function lookAt(parts: JudgeParts, call: JudgedCall, context: JudgeContext): Promise<LookedAt> {
  const { standing, tool, name, arguments: given } = call
  if (call.truncated === true) {
    const text = '[Not executed: the answer was cut off at the token limit.]'
    return { refusal: by('answer', { kind: 'refused', text }) }
  }
  const rule = await rulesAcross(parts, call, context.run)
  if (rule?.effect === 'deny') return { refusal: by('rule', { kind: 'refused', text: deniedText(rule) }) }
  const ruled = rule === undefined ? {} : { rule }
  if (standing !== undefined && !isByGrant(call))
    return standing.kind === 'refused' ? { refusal: by('earlier', standing) } : ruled
  if (tool === undefined) return { refusal: by('registry', unknownTool(parts, call)) }
  if (call.malformed !== undefined)
    return badArguments(`The arguments for "${name}" could not be read: ${call.malformed}`)
  const { problem, input } = await checkArguments(tool, given, context)
  return problem === undefined ? { ...ruled, input } : badArguments(problem)
}

/** Returns the arguments as the tool's schema reads them, or the text for the model if they do not fit. */
export async function checkArguments(
  { name, service, input, formats }: Tool,
  given: Json,
  { run }: Pick<JudgeContext, 'run'>,
): Promise<{ readonly problem?: string; readonly input?: unknown }> {
  const checked = await (service ? checkSent(service, given, run) : checkValue(input, given, formats))
  if (checked.issues === undefined) return { input: checked.value }
  return { problem: `Invalid arguments for "${name}":\n${checked.issues}` }
}

function badArguments(text: string): LookedAt {
  return { refusal: by('arguments', { kind: 'refused', text, code: 'bad_arguments' }) }
}

function by(source: VerdictSource, verdict: Verdict): CallJudgement {
  return { verdict, source, writes: [] }
}

/** Returns the verdict of one level's rules on a call. */
async function ruleAnswer({ rules }: PermissionParts, call: JudgedCall): Promise<RuleAnswer | undefined> {
  if (rules.length === 0) return undefined
  const { matchRules } = await import('../../domain/match-rules.ts')
  const { ruleFields } = call.tool ?? {}
  const fields = ruleFields === undefined ? {} : { fields: ruleFields }
  return matchRules(rules, { toolName: call.name, arguments: call.arguments, ...fields })
}

/**
 * Returns the answer of the rules of every level of a family, and of the agents that spoke earlier in the conversation.
 * Deny precedes ask, and ask precedes allow. Rules above a sub-agent never allow what its own level asks about. Each
 * level that asks must be answered.
 */
export async function rulesAcross(
  parts: Pick<JudgeParts, 'name' | 'permissions' | 'inherited' | 'rulesOfSpeaker'>,
  call: JudgedCall,
  { speakers = [] }: Pick<RunDetails, 'speakers'>,
): Promise<JoinedAnswer | undefined> {
  const { name, permissions, inherited = [], rulesOfSpeaker } = parts
  const answer = permissions && (await ruleAnswer(permissions, call))
  if (answer === undefined && inherited.length + speakers.length === 0) return undefined
  const earlier = speakers.flatMap((speaker) => rulesOfSpeaker?.(speaker) ?? [])
  const levels = new Map([...inherited, ...earlier].map((level) => [level.agent, level]))
  levels.delete(name)
  const above = [...levels].map(async ([agent, level]) => ({ agent, answer: await ruleAnswer(level, call) }))
  return joinLevels({ agent: name, answer }, await Promise.all(above))
}

function deniedText({ rule }: RuleAnswer): string {
  return `[Not executed: the permission rule ${rule.text} denies this call.]`
}

function unknownTool({ tools, unoffered, permissions }: JudgeParts, { name }: JudgedCall): Verdict {
  const known = [...shownTools(permissions, tools).keys()].join(', ') || 'none'
  const what = unoffered?.has(name) === true ? 'is not offered in this step' : 'does not exist'
  return { kind: 'refused', text: `Tool "${name}" ${what}. Available tools: ${known}.`, code: 'unknown_tool' }
}

const noPermission = "[Critical] You don't have the permission to call this tool"
const lodged = '[Critical] Tool blocked - permission required. Request lodged, please retry after approval.'

async function unauthorised(authorised: NonNullable<JudgedCall['authorised']>): Promise<CallJudgement | undefined> {
  const answer = await authorised()
  if (answer === undefined || answer === 'approved') return undefined
  if (answer === 'denied') return by('manager', { kind: 'refused', text: noPermission })
  return by('manager', { kind: 'refused', text: lodged, isRequested: true })
}

/** Returns the judgement of a call that could run: allowed, or suspended for approval. */
async function askedFor(
  parts: JudgeParts,
  call: JudgedCall,
  { rule: answer, input }: LookedAt,
  context: JudgeContext,
): Promise<CallJudgement> {
  const { standing, tool } = call
  const isAsking = answer?.effect === 'ask'
  if (standing !== undefined && !isLookedAtAgain(call, isAsking)) return by('earlier', standing)
  if (answer?.effect === 'allow') return by('rule', { kind: 'allowed' })
  const { clock, signal } = context
  const isNeeded = () => tool !== undefined && needsApproval(tool, input, { ...parts, clock, signal })
  if (!isAsking && !(await isNeeded())) return by('nobody', { kind: 'allowed' })
  const isUnclear = isAsking && answer.isUnclear === true
  const ofNeeds: AskedBy = { asker: parts.name }
  const asking = isAsking ? answer.questions : [ofNeeds]
  let granted = await grantedOf(call, { asking, isUnclear }, context)
  // A command of a line that no rule is about is asked about by the tool's needs.
  if (isAsking && answer.isPartial === true && 'by' in granted && (await isNeeded()))
    granted = await grantedOf(call, { asking: [...asking, ofNeeds], isUnclear }, context)
  if ('by' in granted) return byGrants(granted.by)
  const asked: Verdict = { kind: 'suspended', suspension: { id: context.ids.next('sus'), reason: 'approval' } }
  const { rule, asker } = granted.open ?? ofNeeds
  const wider = parts.isInFamily === true ? { scopes: decisionScopes } : undefined
  if (rule === undefined) return { ...by('tool', asked), ...(wider && { question: wider }) }
  const scopes = isUnclear ? { message: unclearText(rule), scopes: ['once' as const] } : wider
  return { ...by('rule', asked), question: { rule, ...(asker === parts.name ? {} : { asker }), ...scopes } }
}

/**
 * A planned call is checked again if a rule of the current code asks, and if a grant allowed it, because grants may be
 * revoked. A person's answer stays valid.
 */
function isLookedAtAgain(call: JudgedCall, isAsking: boolean): boolean {
  return isByGrant(call) || (call.isAnswered !== true && call.standing?.kind === 'allowed' && isAsking)
}

function isByGrant({ standing, isAnswered }: JudgedCall): boolean {
  return isAnswered !== true && standing?.kind === 'allowed' && standing.isGranted === true
}

const refusedText = '[Not executed: it was denied before, for all calls like this one.]'

/** Finds earlier decisions that answer the questions about a call. */
async function grantedOf(
  { callId = '', name, arguments: given, tool }: JudgedCall,
  question: Pick<GrantQuestion, 'asking' | 'isUnclear'>,
  { grants }: JudgeContext,
): Promise<Granted> {
  const [open] = question.asking
  // A call to a service leaves with its suspension and never starts, so that a grant could not be used up by it.
  if (grants === undefined || tool === undefined || tool.service !== undefined) return { open }
  const found = await grants.of(name, callId)
  if (found.length === 0) return { open }
  return grantsFor(found, { ...question, callHash: hashOfCall(name, given), definition: definitionHash(tool) })
}

function byGrants(grants: readonly Grant[]): CallJudgement {
  const isDenied = grants.some(({ says }) => says === 'deny')
  return {
    ...by('grant', isDenied ? { kind: 'refused', text: refusedText } : { kind: 'allowed', isGranted: true }),
    grants,
  }
}

function unclearText(rule: string): string {
  return `The arguments do not show whether the permission rule ${rule} applies to this call: check them. An answer applies only to this call.`
}

/** Returns true also if the rule throws or does not answer in time: fail closed. */
async function needsApproval({ name, needs }: Tool, input: unknown, bounds: AskBounds): Promise<boolean> {
  if (needs === undefined) return false
  if (needs === 'approval') return true
  try {
    return (await ask(`Rule "needs" of tool "${name}" failed`, bounds, () => needs(input as never))) !== false
  } catch {
    return true
  }
}
