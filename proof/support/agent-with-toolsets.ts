import type { AgentEvent, Model, Tool, Toolset } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { testAgent, type TestAgentOptions } from './test-agent.ts'
import { toolNamed } from './tools.ts'

/** A test agent that also notes which tools each model call was made with. */
export function agentWith(tools: readonly (Tool | Toolset)[], { model, ...options }: TestAgentOptions = {}) {
  const seen: (readonly string[])[] = []
  const inner = model ?? scripted(options.replies ?? ['Bye'])
  const noting: Model = {
    ...inner,
    stream(request) {
      seen.push(request.tools.map(({ name }) => name))
      return inner.stream(request)
    },
  }
  return { ...testAgent({ ...options, model: noting, tools }), seen }
}

/** A tool that answers `<name> done`. */
export const echo = (name: string, extras: Partial<Tool> = {}) => toolNamed(name, () => `${name} done`, extras)

/** The toolset events of a run: kind of event, toolset, and message or name. */
export function noticesOf(events: readonly AgentEvent[]) {
  return events.flatMap((event) => {
    if (event.type === 'toolset.failed') return [[event.type, event.toolset, event.message]]
    return event.type === 'tool.leftOut' ? [[event.type, event.toolset, event.toolName]] : []
  })
}
