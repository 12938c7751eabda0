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
      const { acceptHandover } = await import('./accept-handover.ts')
      await acceptHandover(host(), runId, callId)
      return `[The conversation goes on with '${name}'.]`
    },
  }
}

/** Returns the plugin that ends a run whose last answer has handed the conversation over. */
export function handoverPlugin(host: () => AgentCore): Plugin {
  return {
    name: 'handover',
    stepStart: (context) => {
      const messages = context.messages()
      const last = messages.findLastIndex(({ role }) => role === 'assistant')
      const isOver = messages
        .slice(last + 1)
        .some((one) => one.role === 'toolResult' && one.status !== 'error' && isHandover(host(), one.toolName))
      if (isOver) context.terminate('handed_over')
    },
  }
}
