import type { AgentCore } from '../driving/agent-core.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { Tool } from '../ports/tool.ts'
import type { Toolset } from '../ports/toolset.ts'
import { tellOthers } from './below.ts'
import {
  type BindAgent,
  type BoundAgent,
  type ChangeMember,
  hostOf,
  keepChildTools,
  keepHandover,
  keepMember,
  refuseNamesakes,
} from './lineage.ts'
import { backgroundTool, childTool, type SubAgentOptions } from './child-tool.ts'
import { type HandoverOptions, handoverPlugin, handoverTool } from './handover-tool.ts'

/** Marks a tool of a sub-agent, also in a copy of the tool. */
const binding = Symbol('sub-agent')

/** A tool of a sub-agent. It works once it is bound to the agent whose tool it is. */
interface ChildTool extends Tool {
  readonly [binding]: { readonly options: SubAgentOptions & { readonly name: string }; readonly bind: BindAgent }
}

/** Returns the tool of a sub-agent. `createAgent` binds the tool to a host. */
export function childToolOf(options: SubAgentOptions & { readonly name: string }, bind: BindAgent): Tool {
  const host = refusingHost(options)
  const tool: ChildTool = { ...childTool(options, host, host), [binding]: { options, bind } }
  return tool
}

/** The host of a tool that no agent has in its list yet. */
function refusingHost({ name }: { readonly name: string }): () => never {
  return () => {
    throw new Error(`"${name}" works only as a tool in the list of an agent.`)
  }
}

/** Marks a tool that hands the conversation over, also in a copy of the tool; `bind` is absent in one that hands it back. */
const handing = Symbol('handover')

/** A tool of a hand-over. */
interface HandingTool extends Tool {
  readonly [handing]: { readonly options: HandoverOptions & { readonly name: string }; readonly bind?: BindAgent }
}

/** Returns the tool that hands the conversation over to an agent. `createAgent` binds the tool to a host. */
export function handoverToolOf(options: HandoverOptions & { readonly name: string }, bind?: BindAgent): Tool {
  const tool: HandingTool = {
    ...handoverTool(options, refusingHost(options)),
    [handing]: { options, ...(bind && { bind }) },
  }
  return tool
}

/** Returns the tool by which an agent hands the conversation back to the agent that handed it over. */
export function handBackTo({ name }: AgentCore): Tool {
  const last = name.slice(name.lastIndexOf('/') + 1)
  return handoverToolOf({ name: last, when: `Hands the conversation back to ${last}.` })
}

/** Returns a copy of a tool for use as a stub. The copy of a sub-agent's tool starts no child. */
export function unboundTool(tool: Tool): Tool {
  const { [binding]: _, [handing]: __, ...unbound } = tool as Tool & Partial<ChildTool & HandingTool>
  return unbound
}

/** Returns a tool with changed options for its other agent, or undefined for a tool without another agent. */
export function withChangedMember(tool: Tool, change: ChangeMember): Tool | undefined {
  const changed =
    (bind: BindAgent): BindAgent =>
    (lineage) =>
      bind(lineage, change)
  if (isHanding(tool)) {
    const { bind, ...made } = tool[handing]
    const handed: HandingTool = { ...tool, [handing]: { ...made, ...(bind && { bind: changed(bind) }) } }
    return handed
  }
  if (!isChild(tool)) return undefined
  const { options, bind } = tool[binding]
  const child: ChildTool = { ...tool, [binding]: { options, bind: changed(bind) } }
  return child
}

/**
 * Tools whose sub-agents are bound to a host. `begin` creates the sub-agents once the host exists, and `stop` closes
 * them.
 */
export interface BoundTools {
  readonly tools: readonly (Tool | Toolset)[]
  /** True if one of them is a sub-agent. */
  readonly isParent: boolean
  /** The plugins that the tools need. */
  readonly plugins: readonly Plugin[]
  begin(): void
  stop(): Promise<void>
}

/** Binds the sub-agents and the background tools among an agent's tools to the agent. */
export function bindChildTools(
  tools: readonly (Tool | Toolset)[],
  host: () => AgentCore,
  oneCall: (tool: Tool) => BindAgent,
): BoundTools {
  const waiting: (() => BoundAgent)[] = []
  const handovers: (() => void)[] = []
  let bound: readonly BoundAgent[] = []
  const bindTool = (tool: Tool): Tool => {
    if (isHanding(tool)) return bindHandover(tool)
    const { options, bind } = isChild(tool) ? tool[binding] : { options: undefined, bind: oneCall(tool) }
    return boundAs(bind, (member) =>
      options === undefined
        ? backgroundTool(tool, host, member)
        : { ...tool, execute: childTool({ ...options, name: tool.name }, host, member).execute },
    )
  }
  const bindHandover = (tool: HandingTool): Tool => {
    const { options, bind } = tool[handing]
    const made = { ...tool, execute: handoverTool({ ...options, name: tool.name }, host).execute }
    const keep = (target: () => AgentCore) => handovers.push(() => keepHandover(host(), tool.name, target))
    if (bind !== undefined) return boundAs(bind, (member) => (keep(member), made))
    keep(() => hostOf(host()))
    return made
  }
  const boundAs = (bind: BindAgent, made: (member: () => AgentCore) => Tool): Tool => {
    const place = waiting.push(() => bind({ host: host() })) - 1
    const member = () => {
      const found = bound[place]
      if (found === undefined) throw new Error('The agent has not been created.')
      return found.core
    }
    return made(member)
  }
  return {
    isParent: tools.some(isBindable),
    plugins: tools.some((item) => handing in item) ? [handoverPlugin(host)] : [],
    tools: tools.map((item) => (isBindable(item) ? bindTool(item) : item)),
    begin: () => {
      bound = waiting.map((make) => make())
      refuseNamesakes(host(), bound)
      for (const keep of handovers) keep()
      const children = tools.filter(isBindable).filter((tool) => !isHanding(tool))
      const names = children.map(({ name }) => name)
      keepChildTools(host(), names, children.some(isInBackground))
      for (const { core } of bound) keepMember(host(), core)
      if (bound.length > 0) tellWhenCancelled(host())
    },
    stop: async () => {
      for (const member of bound) await member.close()
    },
  }
}

/**
 * Delivers the cancels of children at once, because a run may continue for a long time after one of its calls was
 * cancelled.
 */
export function tellWhenCancelled(core: AgentCore): void {
  core.watchers.listen((event) => {
    if (event.type !== 'call.settled' || event.status !== 'cancelled') return
    core.openRuns.track(tellOthers(core).catch(() => undefined))
  })
}

function isBindable(item: Tool | Toolset): item is Tool {
  return isChild(item) || isHanding(item) || ('execute' in item && item.background === true)
}

/** Returns true for a tool of a sub-agent. */
export function isChild(item: Tool | Toolset): item is ChildTool {
  return binding in item
}

function isHanding(item: Tool | Toolset): item is HandingTool {
  return handing in item
}

function isInBackground(tool: Tool): boolean {
  return isChild(tool) ? tool[binding].options.background === true : tool.background === true
}
