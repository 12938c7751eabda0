import type { Run } from '../../agent/run.ts'
import type { RunResult } from '../../driving/run-result.ts'
import type { CallRecord } from '../../domain/call.ts'
import type { DecisionReceipt } from '../../domain/decision.ts'
import type { Tool } from '../../ports/tool.ts'
import type { AgentCase, Answer } from './agent-cases.ts'
import { agentFrom, type AgentSource, type TestedAgent, optionsOf } from './agent-under-test.ts'
import type { CrashScenario } from '../crash/crash-scenario.ts'
import type { CrashProblem } from '../crash/crash-problem.ts'
import type { CrashEnvironment } from '../crash/crash-environment.ts'
import { sampleOf } from './sample-of.ts'

/** A case to be played once, through as many processes as it takes. */
export interface CaseScenario {
  readonly scenario: CrashScenario
  /** What was noticed from outside the engine. */
  readonly problems: readonly CrashProblem[]
  /** Whether the run has waited for an answer. */
  wasAsked(): boolean
}

/** Makes one trial of an agent: its own plugins, schemas and policy, with scripted tools in the place of its own. */
export function caseScenario(source: AgentSource, item: AgentCase, answer: Answer): CaseScenario {
  const record: CaseRecord = {
    item,
    answer,
    isAsked: false,
    allowed: new Set(),
    suspendedByTool: new Set(),
    problems: [],
  }
  return {
    problems: record.problems,
    wasAsked: () => record.isAsked,
    scenario: {
      name: item.name,
      build: (environment) => {
        const agent = agentFrom(source)
        const tools = agent.tools.map((tool) => scriptedTool(tool, agent, environment, record))
        return { ...optionsOf(agent, item.script), tools }
      },
      play: (run, _environment, result) => answerAll(run, result, agentFrom(source), record),
    },
  }
}

/** What a trial remembers, whichever of its processes has died. */
interface CaseRecord {
  readonly item: AgentCase
  readonly answer: Answer
  isAsked: boolean
  /** Calls a person has said yes to. */
  readonly allowed: Set<string>
  readonly suspendedByTool: Set<string>
  readonly problems: CrashProblem[]
}

function scriptedTool(tool: Tool, agent: TestedAgent, environment: CrashEnvironment, record: CaseRecord): Tool {
  const { item, allowed, suspendedByTool, problems } = record
  // A trial says how a call comes out; retries are walked in the charts.
  const { retry: _, ...own } = tool
  return {
    ...own,
    execute: async (input, context) => {
      const { callId } = context
      if (!allowed.has(callId) && (await mustAsk(tool, agent, input))) {
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

/** The tool's own rule, asked once more; one that throws asks. */
async function mustAsk({ name, needs }: Tool, agent: TestedAgent, input: never): Promise<boolean> {
  if (agent.mustAsk?.includes(name) === true || needs === 'approval') return true
  if (needs === undefined) return false
  try {
    return (await needs(input)) !== false
  } catch {
    return true
  }
}

async function answerAll(run: Run, { suspended }: RunResult, agent: TestedAgent, record: CaseRecord): Promise<void> {
  const { item, answer: wish, problems } = record
  record.isAsked = true
  if (suspended.length === 0) problems.push({ kind: 'stuck', message: 'The run waits, and no call is suspended.' })
  for (const { callId, suspension } of suspended) if (suspension?.reason === 'input') record.suspendedByTool.add(callId)
  if (wish === 'cancel') return void (await run.cancel())
  for (const call of suspended) {
    if (wish === 'yes') record.allowed.add(call.callId)
    const { answer, message = '' } =
      wish === 'yes' ? await sayYes(run, call, agent, item) : await run.deny(call.callId, 'No.')
    if (answer === 'applied' || answer === 'duplicate') continue
    problems.push({
      kind: 'lost',
      message: `The answer to call "${call.callId}" came to "${answer}". ${message}`.trim(),
    })
  }
}

/** A yes in the way the call takes one: run it, take this result, or run it with this. */
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
