import type { AgentOptions } from '../../core/agent/options.ts'
import type { AssistantMessage } from '../../core/domain/message.ts'
import { canonicalJson } from '../../core/domain/text/json.ts'
import { isChild } from '../../core/family/bind-child-tools.ts'
import type { PermissionOptions } from '../../core/ports/permissions.ts'
import type { Plugin } from '../../core/ports/plugin.ts'
import type { Tool } from '../../core/ports/tool.ts'
import { optionsOf, type TestedAgent } from '../paths/agent-under-test.ts'
import { sampleOf } from '../paths/sample-of.ts'
import type { PolicyCall } from './policy-script.ts'

/** The choices made in place of models, plugins and functions. */
export interface Choices {
  /** Returns the model's next answer; throws if the script has none. */
  answer(): AssistantMessage
  /** Returns the calls of the run so far, by the model's ids. */
  calls(): ReadonlyMap<string, PolicyCall>
  /** True if a plugin ends the run after the current answer. */
  ends(): boolean
  /** Called when a tool begins to run. */
  performing(callId: string): Promise<void>
}

/** The price of the scripted model: one dollar per token. */
export const pricedModel = {
  provider: 'script',
  id: 'script',
  prices: { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 },
}

/**
 * Returns an agent with its own rules, policies, limits and order of calls. Its model, tools, plugins, `needs`
 * functions and permission manager answer by choice.
 */
export function stubAgent(agent: TestedAgent, choices: Choices): Omit<AgentOptions, 'store'> {
  const { name, services, limits, onLimit, executor, onPartialSuspension, decisions } = optionsOf(agent, {
    name: agent.name,
    turns: [],
    sample: 1,
  })
  const model: AgentOptions['model'] = {
    ...pricedModel,
    async *stream() {
      yield { type: 'finished', message: choices.answer() }
    },
  }
  return {
    name,
    model,
    tools: agent.tools.map((tool) => stubTool(tool, choices)),
    plugins: stubPlugins(agent, choices),
    permissions: stubPermissions(agent, choices),
    compaction: false,
    ...Object.fromEntries(
      Object.entries({ services, limits, onLimit, executor, onPartialSuspension, decisions }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
  }
}

/** Returns the choice for a call by its id, which ends with the model's id. */
function choiceOf(choices: Pick<Choices, 'calls'>, callId: string): PolicyCall | undefined {
  return choices.calls().get(callId.slice(callId.indexOf('.') + 1))
}

function stubTool(whole: Tool, choices: Choices): Tool {
  const { retry: _, output, probe: __, preview: ___, ...tool } = whole
  const { name, description, input } = tool
  // The copy leaves out symbols, by which the engine knows the tool of a sub-agent.
  const plain = Object.fromEntries(Object.entries(tool))
  const reason = isChild(whole) ? 'subAgent' : 'input'
  const needs = (given: unknown) =>
    [...choices.calls().values()].findLast(
      (call) => call.tool === tool.name && canonicalJson(call.arguments) === canonicalJson(given as never),
    )?.needs === true
  return {
    ...plain,
    name,
    description,
    input,
    ...(typeof tool.needs === 'function' ? { needs } : {}),
    execute: async (_input, { callId, suspension, suspend }) => {
      await choices.performing(callId)
      const { asks, fails } = choiceOf(choices, callId) ?? {}
      const isAsking = asks === true && suspension?.reason !== reason
      // No time and no value ends the wait for a sub-agent.
      if (isAsking) return suspend(reason === 'subAgent' ? { reason, expiresAt: Infinity } : { reason })
      if (fails === true) return { content: [{ type: 'text', text: `${tool.name} failed.` }], status: 'error' }
      return output === undefined ? `${tool.name} succeeded.` : sampleOf(output)
    },
  }
}

/** The phases in which a plugin may end the run. */
export const endingPhases = ['beforeRun', 'runStart', 'stepStart', 'beforeModel', 'beforeTurn', 'afterModel'] as const

function stubPlugins({ plugins = [] }: TestedAgent, choices: Choices): readonly Plugin[] {
  const hears = (...phases: readonly (keyof Plugin)[]) =>
    plugins.some((plugin) => phases.some((phase) => plugin[phase] !== undefined))
  const gate: Plugin = {
    name: 'gate',
    gateCall: ({ call, decision }) => {
      const answer = choiceOf(choices, call.callId)?.gate
      if (answer === 'blocks') return { block: 'A plugin blocks the call.' }
      if (answer === 'gives a result') return { result: 'A plugin gives the result.' }
      return answer === 'suspends' && decision === undefined ? { suspend: { reason: 'plugin' } } : undefined
    },
  }
  const end: Plugin = {
    name: 'end',
    afterModel: ({ terminate }) => {
      if (choices.ends()) terminate()
    },
  }
  return [...(hears('gateCall', 'beforeTool') ? [gate] : []), ...(hears(...endingPhases) ? [end] : [])]
}

function stubPermissions({ permissions = {} }: TestedAgent, choices: Choices): PermissionOptions {
  const { rules, policies, policy } = permissions
  const own = { ...(rules && { rules }), ...(policies && { policies }) }
  if (policy === undefined) return own
  return {
    ...own,
    policy: ({ services, mcp, tools }) => [...services, ...mcp, ...tools],
    manager: {
      get: (_, asks) =>
        Object.fromEntries(
          asks.map(({ name, calls: [call] }) => [
            name,
            (call && choiceOf(choices, call.callId)?.manager) ?? 'approved',
          ]),
        ),
    },
  }
}
