import { onStore } from '../domain/store-error.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { Tool } from '../ports/tool.ts'
import { isHandover } from './lineage.ts'

/** Options of a hand-over. */
export interface HandoverOptions {
  /** The name of the tool. Default: the agent's name. */
  readonly name?: string
  /** The description for the model: when the other agent should continue the conversation. */
  readonly when: string
}

/** Returns the tool that lets another agent continue the conversation once the run has ended. */
export function handoverTool({ name, when }: HandoverOptions & { readonly name: string }, host: () => AgentCore): Tool {
  return {
    name,
    description: when,
    input: { type: 'object', properties: {}, additionalProperties: false },
    effects: 'none',
    execute: async (_: unknown, { runId, callId }) => {
      const { handoverProblem } = await import('./accept-handover.ts')
      const problem = await onStore(handoverProblem(host(), runId, callId))
      if (problem !== undefined) throw new Error(problem)
      return `[The conversation goes on with '${name}'.]`
    },
  }
}

/** Returns the plugin that ends a run whose last answer has handed the conversation over. */
export function handoverPlugin(host: () => AgentCore): Plugin {
  return {
    name: 'handover',
    stepStart: async (context) => {
      const messages = context.messages()
      const last = messages.findLastIndex(({ role }) => role === 'assistant')
      const results = messages.slice(last + 1)
      if (!results.some((one) => one.role === 'toolResult' && isHandover(host(), one.toolName))) return
      const { isHandedOver } = await import('./accept-handover.ts')
      const isOver = await onStore(isHandedOver(host(), context.runId))
      if (isOver) context.terminate('handed_over')
    },
  }
}
