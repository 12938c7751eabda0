import type { Tool } from '../../core/ports/tool.ts'
import type { Toolset } from '../../core/ports/toolset.ts'

/** Returns an agent's tools and toolsets with every tool changed, including the tools of toolsets. */
export function mapTools(
  items: readonly (Tool | Toolset)[],
  change: (tool: Tool) => Tool,
): readonly (Tool | Toolset)[] {
  return items.map((item) => ('execute' in item ? change(item) : withTools(item, change)))
}

function withTools(toolset: Toolset, change: (tool: Tool) => Tool): Toolset {
  const { name, optional } = toolset
  return {
    name,
    ...(optional === undefined ? {} : { optional }),
    tools: async (options) => (await toolset.tools(options)).map(change),
    changed: (listener) => toolset.changed?.(listener) ?? (() => {}),
    close: () => toolset.close(),
  }
}
