import { thrownText } from '../domain/text/thrown-text.ts'
import { ToolsetError } from '../domain/toolset-error.ts'
import type { Tool } from '../ports/tool.ts'
import { checkTool } from '../ports/tool-shape.ts'
import type { Toolset } from '../ports/toolset.ts'

/** A toolset of an agent, with its latest tools and a mark if it has changed since. */
export class OpenToolset {
  readonly toolset: Toolset
  #tools: readonly Tool[] | undefined
  #failure: ToolsetError | undefined
  #isStale = false
  #stopListening: (() => void) | undefined

  constructor(toolset: Toolset) {
    this.toolset = toolset
  }

  /** The latest tools; undefined while the toolset is not open. */
  get tools(): readonly Tool[] | undefined {
    return this.#tools
  }

  /** The error of the last failed read. */
  get failure(): ToolsetError | undefined {
    return this.#failure
  }

  /** True if the toolset is open and has changed since the last read. */
  get isStale(): boolean {
    return this.#isStale && this.#tools !== undefined
  }

  /** Reads the current tools. If the read fails, the earlier tools stay. */
  async read(signal: AbortSignal): Promise<void> {
    const { toolset } = this
    try {
      this.#stopListening ??= toolset.changed?.(() => void (this.#isStale = true))
      this.#isStale = false
      this.#tools = checkedList(await toolset.tools({ signal }))
      this.#failure = undefined
    } catch (cause) {
      this.#failure = unavailable(toolset, cause)
    }
  }

  /** Drops the tools because they are not usable; the toolset must be read again. */
  forget(): void {
    this.#tools = undefined
  }

  async close(): Promise<void> {
    this.#stopListening?.()
    await this.toolset.close()
  }
}

function checkedList(tools: readonly Tool[]): readonly Tool[] {
  if (!Array.isArray(tools)) throw new TypeError('it returned no list of tools.')
  for (const tool of tools) checkTool(tool)
  return [...tools]
}

function unavailable({ name, optional }: Toolset, cause: unknown): ToolsetError {
  const wish = optional === true ? '' : ' Fix that, or mark the toolset as optional.'
  const text = thrownText(cause).replace(/(?<![.!?])$/, '.')
  return new ToolsetError('toolset_unavailable', name, `Toolset "${name}" cannot be used: ${text}${wish}`, { cause })
}
