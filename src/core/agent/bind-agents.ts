import { defined } from '../domain/text/json.ts'
import { badOption, checkOptions, optional, type OptionShape, text } from '../domain/text/option-shape.ts'
import { withoutAsking } from '../driving/run-options.ts'
import { coreOf } from '../driving/core-of.ts'
import { childToolOf, handBackTo, handoverToolOf } from '../family/bind-child-tools.ts'
import type { HandoverOptions } from '../family/handover-tool.ts'
import { type BindAgent, type BoundAgent, keepSpeaker, type Lineage, memberName } from '../family/lineage.ts'
import { aboutResults, oneCall, performing } from '../family/one-call.ts'
import type { Tool } from '../ports/tool.ts'
import { checkMethodOptions } from './agent-shape.ts'
import type { Agent, AsToolOptions } from './agent.ts'
import type { AgentOptions } from './options.ts'

/** Creates an agent, for a host. */
type MakeAgent = (options: AgentOptions, lineage: Lineage) => Agent

/** Returns a tool that runs an agent with these options as a sub-agent. The agent is created for each host. */
export function asChildTool(make: MakeAgent, options: AgentOptions, { limits, ...given }: AsToolOptions): Tool {
  checkMethodOptions('asTool', { limits, ...given })
  if (given.background === true && given.continue === true)
    throw badOption({ field: 'continue', owner: 'asTool' }, true, 'Leave it out: background calls block no run.')
  const own = options.limits === false ? {} : options.limits
  const bounds = { maxDurationMs: memberDurationMs, ...own, ...limits }
  return childToolOf({ name: options.name, ...given }, (lineage, change = (same) => same) =>
    bindTo(make, change(options), lineage, { limits: bounds }),
  )
}

const handoverShape: OptionShape<HandoverOptions> = { name: optional(text), when: text }

/**
 * Returns a tool that hands the conversation to an agent with these options. That agent gets a tool that hands it back.
 */
export function asHandoverTool(make: MakeAgent, options: AgentOptions, given: HandoverOptions): Tool {
  checkOptions('asHandover', given, handoverShape)
  return handoverToolOf({ name: options.name, ...given }, (lineage, change = (same) => same) => {
    const { host } = lineage
    const changed = change(options)
    const tools = [...(changed.tools ?? []), handBackTo(host)]
    const bound = bindTo(make, changed, lineage, { tools, id: host.agentId })
    keepSpeaker(bound.core)
    return bound
  })
}

/** Creates an agent with these options again, as a member of a family. */
export function bindTo(
  make: MakeAgent,
  options: AgentOptions,
  lineage: Lineage,
  own: Pick<AgentOptions, 'limits' | 'tools' | 'id'> = {},
): BoundAgent {
  const { store, clock, ids, leaseMs } = lineage.host
  const name = memberName(lineage.host, options.name)
  const onLimit = options.onLimit && withoutAsking(options.onLimit)
  const agent = make({ ...options, ...own, ...defined({ onLimit }), name, store, clock, ids, leaseMs }, lineage)
  return { core: coreOf(agent, 'asTool'), madeOf: options, close: () => agent.close() }
}

/**
 * Returns a function that creates, for each host, the agent whose runs each perform one call of a tool. The host has
 * already judged the call.
 */
export function asOneCall(make: MakeAgent, { plugins = [], tracer, inspect }: AgentOptions, tool: Tool): BindAgent {
  return ({ host }) => {
    const { store, clock, ids, leaseMs, parts } = host
    const options: AgentOptions = {
      name: memberName(host, tool.name),
      model: oneCall(tool.name, clock),
      tools: [performing(tool, { store, timeoutMs: parts.toolTimeoutMs })],
      plugins: plugins.map(aboutResults),
      limits: false,
      compaction: false,
      ...{ store, clock, ids, leaseMs },
      ...defined({ tracer, inspect }),
    }
    const agent = make(options, { host, isJudged: true })
    return { core: coreOf(agent, 'tool'), madeOf: tool, close: () => agent.close() }
  }
}

/** The default limit of a sub-agent's running time, in milliseconds. */
const memberDurationMs = 300_000
