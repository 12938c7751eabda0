import { thrownText } from '../domain/text/thrown-text.ts'
import { ToolsetError } from '../domain/toolset-error.ts'
import type { Tool } from '../ports/tool.ts'
import { checkTool } from '../ports/tool-shape.ts'
import type { Toolset } from '../ports/toolset.ts'

/** A toolset as an agent holds it: the tools it gave last, and whether it has told a change since. */
export class OpenToolset {
  readonly toolset: Toolset
  #tools: readonly Tool[] | undefined
  #failure: ToolsetError | undefined
  #isStale = false
  #stopListening: (() => void) | undefined

  constructor(toolset: Toolset) {
    this.toolset = toolset
  }

  /** The tools it gave last; undefined while it is not open. */
  get tools(): readonly Tool[] | undefined {
    return this.#tools
  }

  /** Why it gave nothing when it was asked last. */
  get failure(): ToolsetError | undefined {
    return this.#failure
  }

  /** True where it is open and has changed since. */
  get isStale(): boolean {
    return this.#isStale && this.#tools !== undefined
  }

  /** Asks for the present tools. Where that fails, the tools that it gave before stay. */
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

  /** Says that its tools cannot be taken in: the set must be read again before it is used. */
  forget(): void {
    this.#tools = undefined
  }

  async close(): Promise<void> {
    this.#stopListening?.()
    await this.toolset.close()
  }
}

function checkedList(tools: readonly Tool[]): readonly Tool[] {
  if (!Array.isArray(tools)) throw new TypeError('it gave no list of tools.')
  for (const tool of tools) checkTool(tool)
  return [...tools]
}

function unavailable({ name, optional }: Toolset, cause: unknown): ToolsetError {
  const wish = optional === true ? '' : ' Mend that, or mark the toolset optional to do without it.'
  const text = thrownText(cause).replace(/(?<![.!?])$/, '.')
  return new ToolsetError('toolset_unavailable', name, `Toolset "${name}" cannot be used: ${text}${wish}`, { cause })
}
