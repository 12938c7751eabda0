import type { CallRecord } from '../domain/call.ts'
import { onStore } from '../domain/store-error.ts'
import { isRecord, type Json, toPlainJson } from '../domain/text/json.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import type { Schema } from '../ports/schema.ts'
import type { Tool } from '../ports/tool.ts'
import { argumentsText } from './one-call.ts'

/** Options of an agent that is a tool of another agent. */
export interface SubAgentOptions<Input extends Schema = Schema> {
  /** The name of the tool. Default: the agent's name. */
  readonly name?: string
  /** The description of the tool, for the model. */
  readonly description: string
  /**
   * The schema of the arguments. The text `prompt` of the arguments is the sub-agent's prompt; arguments without it are
   * given as JSON. Default: `{ prompt: string }`.
   */
  readonly input?: Input
  /**
   * True if each call gets a receipt at once and the sub-agent works on in the background. Its result follows as a message.
   * Default false.
   */
  readonly background?: boolean
  /**
   * True if the run continues while the sub-agent works and the same answer has other calls. It needs the result before
   * it ends. Default false.
   */
  readonly continue?: boolean
}

const promptSchema: Schema = {
  type: 'object',
  properties: { prompt: { type: 'string', description: 'The task, with everything that is needed for it.' } },
  required: ['prompt'],
  additionalProperties: false,
}

/**
 * Returns the tool that runs a sub-agent for each call. `member` returns the sub-agent, and `host` the agent that has
 * the tool.
 */
export function childTool(
  options: SubAgentOptions & { readonly name: string },
  host: () => AgentCore,
  member: () => AgentCore,
): Tool {
  const { name, description, input = promptSchema, background = false, continue: goesOn = false } = options
  return {
    ...{ name, description, input },
    ...(goesOn && { continue: true }),
    // A call that runs again finds its child by its id, so a crash interrupts nothing.
    effects: 'idempotent',
    timeoutMs: Infinity,
    execute: async (given: unknown, context) => {
      const { work } = await import('./work-as-child.ts')
      const how = background ? { background } : {}
      const asked = { name, host: host(), member: member(), how, goesOn }
      return onStore(work(asked, () => promptIn(toPlainJson(given) ?? null), context))
    },
  }
}

/** Returns the tool that performs each call of a background tool in a run of its own. */
export function backgroundTool(
  { background: _, effects = 'once', retry: ___, probe: ____, output: _____, ...tool }: Tool,
  host: () => AgentCore,
  member: () => AgentCore,
): Tool {
  return {
    ...tool,
    effects: 'idempotent',
    timeoutMs: Infinity,
    execute: async (_given: unknown, context) => {
      const { work } = await import('./work-as-child.ts')
      const how = { background: true as const, idempotencyKey: context.idempotencyKey }
      const { store } = host()
      const prompt = (call: CallRecord) => argumentsText(store, context.runId, call)
      const isOnce = effects === 'once'
      return onStore(work({ name: tool.name, host: host(), member: member(), how, isOnce }, prompt, context))
    },
  }
}

function promptIn(given: Json): string {
  const prompt = isRecord(given) ? given['prompt'] : given
  return typeof prompt === 'string' && prompt !== '' ? prompt : JSON.stringify(given)
}
