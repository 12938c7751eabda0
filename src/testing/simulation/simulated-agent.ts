import type { AgentOptions } from '../../core/agent/options.ts'
import type { PermissionRule } from '../../core/domain/permission-rule.ts'
import { withChangedMember } from '../../core/family/bind-child-tools.ts'
import type { ChangeMember } from '../../core/family/lineage.ts'
import type { Model } from '../../core/ports/model.ts'
import { rulesOf } from '../../core/ports/permission-shape.ts'
import { Suspended, type Tool, type ToolReturn } from '../../core/ports/tool.ts'
import { mapTools } from '../crash/map-tools.ts'
import { findUnpaired } from '../crash/watch-performing.ts'
import type { SimulatedProcess } from './process.ts'
import type { WorldParts } from './world-parts.ts'

/** The rules of an agent and of each agent above it. */
type Levels = readonly (readonly PermissionRule[])[]

/**
 * Returns the options of an agent for one process, including its sub-agents. Models and tools take time there and are
 * watched.
 */
export function simulatedOptions(
  world: WorldParts,
  process: SimulatedProcess,
  { model, tools = [], retry, fallbackModels = [], ...options }: AgentOptions,
  above: Levels = [],
): AgentOptions {
  const levels = [rulesOf(options.permissions?.rules), ...above]
  const members = new Map<object, unknown>()
  // Two tools of one agent stay tools of one agent.
  const change: ChangeMember = <Options extends object>(member: Options) => {
    const changed = members.get(member) ?? simulatedOptions(world, process, member as unknown as AgentOptions, levels)
    members.set(member, changed)
    return changed as Options
  }
  return {
    ...options,
    model: watchedModel(world, process, model),
    fallbackModels: fallbackModels.map((other) => watchedModel(world, process, other)),
    tools: mapTools(tools, (tool) => withChangedMember(tool, change) ?? watchedTool(world, process, tool, levels)),
    retry: { random: () => 0.5, ...retry },
    clock: process.clock,
    ids: world.ids,
  }
}

function watchedModel(world: WorldParts, process: SimulatedProcess, model: Model): Model {
  return {
    ...model,
    async *stream(request) {
      for (const problem of findUnpaired(request.messages)) world.ledger.fail('one result', problem)
      await process.work()
      for await (const event of model.stream(request)) {
        if (event.type !== 'finished') yield event
        else yield { ...event, message: { ...event.message, timestamp: process.clock.now() } }
      }
    },
  }
}

function watchedTool(world: WorldParts, process: SimulatedProcess, tool: Tool, levels: Levels): Tool {
  const isDenying = (rule: PermissionRule) =>
    rule.effect === 'deny' && rule.conditions.length === 0 && rule.isAbout(tool.name)
  world.ledger.watched.add(tool.name)
  const denied = levels.flat().find(isDenying)?.text
  return {
    ...tool,
    execute: async (input, context): Promise<ToolReturn> => {
      // Nothing happens between the engine's last check of its lease and this line: no program could distinguish the
      // two.
      const performance = world.ledger.started(process.name, context, tool, denied)
      await process.work(world.choices.of(0, 5, 20, 60, 400, 10_000))
      const result = await tool.execute(input, context)
      performance.result = result instanceof Suspended ? '' : textOf(result)
      await process.work()
      return result
    },
  }
}

function textOf(result: ToolReturn): string {
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
}
