import type { AgentOptions } from '../../core/agent/options.ts'
import type { Json } from '../../core/domain/text/json.ts'
import type { AssistantMessage } from '../../core/domain/message.ts'
import { having } from '../../core/domain/text/option-shape.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import { noUsage } from '../../core/domain/usage.ts'
import type { Model } from '../../core/ports/model.ts'
import { ownTools } from '../../core/agent/plan-turn.ts'
import type { Tool } from '../../core/ports/tool.ts'
import type { Toolset } from '../../core/ports/toolset.ts'
import { checkNames } from './check-source.ts'
import { sampleOf } from './sample-of.ts'
import type { AgentUnderTest } from './tested-options.ts'

/** An agent whose toolsets are replaced by stand-in tools. */
export interface TestedAgent extends Omit<AgentUnderTest, 'tools' | 'standIns'> {
  readonly tools: readonly Tool[]
}

/** The options, or a function that creates them for each process; use a function if plugins keep state in memory. */
export type AgentSource<List extends readonly (Tool | Toolset)[] = readonly (Tool | Toolset)[]> =
  | AgentUnderTest<List>
  | (() => AgentUnderTest<List>)

/** One call of the scripted model. */
export interface SampleCall {
  readonly id: string
  readonly name: string
  readonly arguments: Json
}

/** A script of the model for one run: calls by turn, then a text. */
export interface Script {
  readonly name: string
  readonly turns: readonly (readonly SampleCall[])[]
  /** The number of the sample that provides the arguments, from 1. */
  readonly sample: number
}

/** Returns the agent of a new process; throws a `UsageError` for an unknown tool name. */
export function agentFrom(source: AgentSource): TestedAgent {
  const given = typeof source === 'function' ? source() : source
  having('an agent to explore, or a function that gives one')(given, { field: 'source', owner: 'explorable' })
  const { tools: items = [], standIns = {}, ...agent } = given
  const tools = items.flatMap((item) => ('execute' in item ? item : standIn(item, standIns)))
  checkNames(given, tools)
  return { ...agent, tools }
}

function standIn({ name }: Toolset, standIns: NonNullable<AgentUnderTest['standIns']>): readonly Tool[] {
  const tools = Object.hasOwn(standIns, name) ? standIns[name] : undefined
  if (tools !== undefined) return tools
  const wish = `Give its tools as standIns: { ${JSON.stringify(name)}: [...] }.`
  throw new UsageError('bad_option', `Toolset "${name}" is not opened for generated tests. ${wish}`)
}

/** Returns the agent's engine options with a model that follows a script and without time limits. */
export function optionsOf(agent: TestedAgent, script: Script): AgentOptions {
  const {
    turns: _turns,
    samples: _samples,
    serviceSamples: _data,
    mustAsk: _mustAsk,
    execute: _execute,
    broker: _broker,
    ...own
  } = agent
  const limits = own.limits === false ? false : { ...own.limits, maxDurationMs: Number.MAX_SAFE_INTEGER }
  return { ...own, limits, fallbackModels: [], model: modelFollowing(script) }
}

/** Returns one script for each turn and sample. */
export function scriptsOf(agent: TestedAgent): readonly Script[] {
  const names = ownTools(agent).map(({ name }) => name)
  const both = names.length < 2 ? [] : [names.slice(0, 2)]
  const { turns = [...names.map((name) => [name]), ...both] } = agent
  const single = turns.flatMap((turn) => samplesOf(agent, turn))
  return single.length === 0 ? [{ name: 'nothing', turns: [], sample: 1 }] : single
}

/** Returns one script with every turn of an agent, each with its first sample; undefined for a single turn. */
export function wholeScript(scripts: readonly Script[]): Script | undefined {
  const turns = scripts.filter(({ sample }) => sample === 1).flatMap((script) => script.turns)
  return turns.length < 2 ? undefined : { name: 'every turn in one run', turns, sample: 1 }
}

function samplesOf(agent: TestedAgent, turn: readonly string[]): readonly Script[] {
  const count = Math.max(1, ...turn.map((name) => givenSamples(agent, name)?.length ?? 1))
  return Array.from({ length: count }, (_, index) => ({
    name: turn.join(' and ') + (count === 1 ? '' : `, sample ${index + 1}`),
    turns: [turn.map((name, place) => callOf(agent, turn, name, place, index))],
    sample: index + 1,
  }))
}

function givenSamples(agent: TestedAgent, name: string): readonly Json[] | undefined {
  const type = ownTools(agent).find((tool) => tool.name === name)?.service?.type
  return type === undefined ? agent.samples?.[name] : agent.serviceSamples?.[type]
}

function callOf(agent: TestedAgent, turn: readonly string[], name: string, place: number, index: number): SampleCall {
  const own = givenSamples(agent, name) ?? []
  const tool = ownTools(agent).find((known) => known.name === name)
  const earlier = turn.slice(0, place).filter((other) => other === name).length
  const given = own[index % Math.max(1, own.length)]
  return {
    id: earlier === 0 ? name : `${name}-${earlier + 1}`,
    name,
    arguments: given ?? (tool === undefined ? {} : sampleOf(tool.input)),
  }
}

/** Returns the answer of a script's turn, counted from 1; after the last turn, a text. */
export function answerOf({ turns }: Script, turn: number): AssistantMessage {
  const calls = turns[turn - 1] ?? []
  const content = calls.map((call) => ({ type: 'toolCall' as const, ...call }))
  return {
    role: 'assistant',
    content: calls.length === 0 ? [{ type: 'text', text: 'Done.' }] : content,
    stopReason: calls.length === 0 ? 'stop' : 'toolUse',
    model: 'script',
    provider: 'script',
    usage: noUsage,
    timestamp: 0,
  }
}

/** Returns a script in which the model repeats its calls, so that the effect of a grant is visible. */
export function twice(script: Script): Script {
  return { ...script, name: `${script.name}, twice`, turns: [...script.turns, ...script.turns] }
}

/** Returns a model that continues from the transcript, so that any process may ask it. */
function modelFollowing(script: Script): Model {
  return {
    provider: 'script',
    id: 'script',
    async *stream({ messages }) {
      const turn = messages.filter(({ role }) => role === 'assistant').length + 1
      yield { type: 'finished', message: answerOf(script, turn) }
    },
  }
}
