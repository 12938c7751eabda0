import { unboundTool } from '../../core/family/bind-child-tools.ts'
import type { Run } from '../../core/agent/run.ts'
import type { RunResult } from '../../core/driving/run-result.ts'
import type { CallRecord } from '../../core/domain/call.ts'
import type { DecisionReceipt } from '../../core/domain/decision.ts'
import type { Tool } from '../../core/ports/tool.ts'
import type { AgentCase, Answer } from './agent-cases.ts'
import { agentFrom, type AgentSource, type TestedAgent, optionsOf } from './agent-under-test.ts'
import type { CrashScenario } from '../crash/crash-scenario.ts'
import type { CrashProblem } from '../crash/crash-problem.ts'
import type { CrashEnvironment } from '../crash/crash-environment.ts'
import type { Records } from '../../core/ports/records.ts'
import { isAsked } from './agent-configurations.ts'
import { answerService } from './answer-service.ts'
import { sampleOf } from './sample-of.ts'

/** A scenario that plays a case once, in as many processes as needed. */
export interface CaseScenario {
  readonly scenario: CrashScenario
  /** Problems observed from outside the engine. */
  readonly problems: readonly CrashProblem[]
  /** Returns true if the run has waited for an answer. */
  wasAsked(): boolean
}

/** Returns one trial of an agent with its plugins, schemas and policy, and with scripted tools. */
export function caseScenario(source: AgentSource, item: AgentCase, answer: Answer, store: () => Records): CaseScenario {
  const record: CaseRecord = {
    item,
    answer,
    store,
    isAsked: false,
    granted: new Map(),
    allowed: new Set(),
    suspendedByTool: new Set(),
    problems: [],
  }
  return {
    problems: record.problems,
    wasAsked: () => record.isAsked,
    scenario: {
      name: item.name,
      ...(item.scope === undefined ? {} : { userId: 'tester' }),
      build: (environment) => {
        const agent = agentFrom(source)
        const tools = agent.tools.map((tool) => scriptedTool(tool, agent, environment, record))
        return { ...optionsOf(agent, item.script), tools }
      },
      play: (run, environment, result) => answerAll(run, environment, result, agentFrom(source), record),
    },
  }
}

/** The memory of a trial, which survives the death of its processes. */
interface CaseRecord {
  readonly item: AgentCase
  readonly answer: Answer
  readonly store: () => Records
  isAsked: boolean
  /** Calls that a person has approved. */
  readonly allowed: Set<string>
  /** Names of tools that a person has answered with a scope beyond one call, with the call that was asked about. */
  readonly granted: Map<string, string>
  readonly suspendedByTool: Set<string>
  readonly problems: CrashProblem[]
}

function scriptedTool(tool: Tool, agent: TestedAgent, environment: CrashEnvironment, record: CaseRecord): Tool {
  const { item, suspendedByTool, problems } = record
  // A trial scripts the outcome of each call; the exploration of the charts covers retries.
  const { retry: _, ...own } = unboundTool(tool)
  return {
    ...own,
    execute: async (input, context) => {
      const { callId } = context
      if (!isAllowed(callId, tool, record) && (isPlannedAsk(item, callId) || (await mustAsk(tool, agent, input)))) {
        problems.push({ kind: 'intent', message: `Call "${callId}" ran and nobody had said yes.` })
      }
      const outcome = item.outcomes.get(callId) ?? 'succeeds'
      if (outcome === 'runs') return tool.execute(input, context)
      if (outcome === 'fails') throw new Error(`${tool.name} failed.`)
      if (outcome === 'suspends' && !suspendedByTool.has(callId)) return context.suspend({ reason: 'input' })
      if (tool.output !== undefined) return sampleOf(tool.output)
      return environment.perform(context, `${tool.name} succeeded.`)
    },
  }
}

/** Returns true if a person has approved the call or similar calls. */
function isAllowed(callId: string, { name }: Tool, { allowed, granted, answer }: CaseRecord): boolean {
  return allowed.has(callId) || (answer === 'yes' && granted.has(name))
}

/** Returns true if the plan requires an approval for the call, by a rule or by the tool's `needs`. */
function isPlannedAsk({ script }: AgentCase, callId: string): boolean {
  return script.plans.flat().some((plan) => plan.callId === callId && isAsked(plan))
}

/** Returns true if the tool's own rule requires an approval; a rule that throws requires one. */
async function mustAsk({ name, needs }: Tool, agent: TestedAgent, input: never): Promise<boolean> {
  if (agent.mustAsk?.includes(name) === true || needs === 'approval') return true
  if (needs === undefined) return false
  try {
    return (await needs(input)) !== false
  } catch {
    return true
  }
}

async function answerAll(
  run: Run,
  environment: CrashEnvironment,
  { suspended }: RunResult,
  agent: TestedAgent,
  record: CaseRecord,
): Promise<void> {
  const { answer: wish, problems } = record
  record.isAsked = true
  if (suspended.length === 0) problems.push({ kind: 'stuck', message: 'The run waits, and no call is suspended.' })
  for (const { callId, suspension } of suspended) if (suspension?.reason === 'input') record.suspendedByTool.add(callId)
  if (wish === 'cancel') return void (await run.cancel())
  for (const call of suspended) {
    const { answer, message = '' } = await answerOne(run, environment, call, agent, record)
    if (answer === 'applied' || answer === 'duplicate') continue
    problems.push({
      kind: 'lost',
      message: `The answer to call "${call.callId}" came to "${answer}". ${message}`.trim(),
    })
  }
}

/** The answerer's report about the result of the answer. */
type Answered = Pick<DecisionReceipt, 'answer' | 'message'>

async function answerOne(
  run: Run,
  environment: CrashEnvironment,
  call: CallRecord,
  agent: TestedAgent,
  record: CaseRecord,
): Promise<Answered> {
  const { item, answer: wish, problems, granted } = record
  const { callId, toolName, suspension } = call
  if (call.isHold !== true && suspension?.reason === 'service')
    return answerService(run, environment, call, { agent, outcomes: item.outcomes, store: record.store() })
  if (wish === 'yes') record.allowed.add(callId)
  const { scope } = item
  const isGrantedTo = suspension?.reason === 'approval' && call.isHold !== true
  if (scope === undefined || !isGrantedTo)
    return wish === 'yes' ? sayYes(run, call, agent, item) : run.deny(callId, { reason: 'No.' })
  const before = granted.get(toolName)
  if (scope !== 'once' && before !== undefined && before !== callId) {
    const message = `Call "${callId}" is asked about, and the answer to call "${before}" was for calls like it.`
    problems.push({ kind: 'lost', message })
  }
  if (scope !== 'once') granted.set(toolName, callId)
  return wish === 'yes' ? run.approve(callId, { scope }) : run.deny(callId, { reason: 'No.', scope })
}

/** Approves a call in its resume mode: runs it, supplies its result, or runs it with this value. */
async function sayYes(
  run: Run,
  call: CallRecord,
  { tools }: TestedAgent,
  { script }: AgentCase,
): Promise<DecisionReceipt> {
  const { callId, toolName, toolCallId, resumeMode } = call
  if (call.isHold === true || resumeMode === 'replay') return run.approve(callId)
  const output = tools.find(({ name }) => name === toolName)?.output
  if (resumeMode === 'use-as-result') {
    return run.respond(callId, output === undefined ? `${toolName} was answered.` : sampleOf(output))
  }
  const given = script.turns.flat().find(({ id }) => id === toolCallId)?.arguments ?? {}
  const [receipt] = await run.decide([{ target: callId, action: 'resume', result: given }])
  return receipt ?? { target: callId, answer: 'unknown' }
}
