import { Suspended, type Tool, type ToolReturn } from '../../src/core/ports/tool.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { CrashEnvironment } from '../../src/testing/crash/crash-environment.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { mapTools } from '../../src/testing/crash/map-tools.ts'
import { mcpToolset } from '../../src/adapters/tools/mcp.ts'
import { type AskingServer, askingServer } from '../mcp/asking-server.ts'

/** Runs with a tool of an MCP server that asks before it acts, and keeps nothing of the call meanwhile. */
export const withMcp: readonly CrashScenario[] = [
  {
    name: 'a question of an MCP server',
    build: (environment) => {
      const call = { id: 'a', name: 'deploy', arguments: { place: 'prod' } }
      const toolset = mcpToolset({ name: 'asking', ...serverOf(environment) })
      return {
        name: 'a',
        model: scripted([{ toolCalls: [call] }, 'Done.'], { now: () => 0 }),
        tools: mapTools([toolset], (tool) => recorded(tool, environment)),
      }
    },
    play: async (run, _, { suspended }) => {
      const result = { $inputResponses: { confirm: { confirm: true } } }
      const decisions = suspended.map(
        ({ callId }) => ({ target: callId, action: 'resume', mode: 'pass-to-tool', result }) as const,
      )
      await run.decide(decisions)
    },
  },
]

/** What the server did is on record with the text of its result, which says how often it did it. */
function recorded(tool: Tool, environment: CrashEnvironment): Tool {
  return {
    ...tool,
    execute: async (input, context) => {
      const returned = await tool.execute(input, context)
      return returned instanceof Suspended ? returned : await environment.perform(context, textOf(returned))
    },
  }
}

function textOf(returned: ToolReturn): string {
  const { content } = Object(returned)
  return Array.isArray(content) ? content.map((block) => String(Object(block).text)).join('\n') : ''
}

const servers = new WeakMap<object, AskingServer>()

/** One server for all processes of a trial, which share a clock. */
function serverOf({ clock }: CrashEnvironment): AskingServer {
  const server = servers.get(clock) ?? askingServer()
  servers.set(clock, server)
  return server
}
