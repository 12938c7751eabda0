import type { AgentTools, ToolTable } from '../effects/agent-tools.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import { ToolsetError } from '../domain/toolset-error.ts'
import type { EffectContext, RunView } from '../ports/effect-handler.ts'
import type { Tool } from '../ports/tool.ts'
import type { Toolset } from '../ports/toolset.ts'
import { OpenToolset } from './open-toolset.ts'
import { isTool, refuseAll, takeTools, type TakenTools, type ToolGroup } from './take-tools.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { AgentEvent } from '../domain/event.ts'

interface CurrentTools extends TakenTools {
  readonly notices: readonly ToolNotice[]
}

/**
 * All tools of an agent, its own and those of its toolsets, in one table. The toolsets are opened together on first
 * use, read again between turns, and closed together.
 */
export class ToolRegistry implements AgentTools {
  readonly #own: readonly Tool[]
  readonly own: ToolTable
  /** True if there are no toolsets, so that the agent's own tools never change. */
  readonly #isFixed: boolean
  readonly #toolsets: readonly OpenToolset[]
  readonly #closing = new AbortController()
  readonly #notices = new ToolNotices()
  readonly #taken = new WeakMap<RunView, ToolTable>()
  #current: CurrentTools | undefined
  #opening: Promise<void> | undefined
  #renewing: Promise<void> | undefined
  #closed: Promise<void> | undefined

  /** Throws a `UsageError` for invalid or duplicate names. */
  constructor(items: readonly (Tool | Toolset)[]) {
    this.#own = items.filter(isTool)
    this.#toolsets = toolsetsOf(items).map((toolset) => new OpenToolset(toolset))
    this.#isFixed = this.#toolsets.length === 0
    this.own = takeTools([{ tools: this.#own }], refuseAll).table
  }

  /**
   * Opens the toolsets that are not open; returns undefined if all are open. Rejects with a `ToolsetError` if a toolset
   * that is not optional is unavailable, and with a `UsageError` if the tools of a toolset are invalid.
   */
  open(): Promise<void> | undefined {
    if (this.#isFixed || (this.#current !== undefined && this.#missing().length === 0)) return undefined
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined))
    return this.#opening
  }

  forTurn(context: EffectContext): ToolTable | Promise<ToolTable> {
    if (this.#isFixed) return this.own
    if (this.#current === undefined || this.#stale().length > 0) return this.#renewed(context)
    return this.#take(this.#current, context)
  }

  inRound(view: RunView): ToolTable | Promise<ToolTable> {
    if (this.#isFixed) return this.own
    const taken = this.#taken.get(view) ?? this.#current?.table
    if (taken === undefined) return this.#opened(view)
    this.#taken.set(view, taken)
    return taken
  }

  /** Returns the current version of one tool. The other tools of the round stay the same. */
  async asOfNow(name: string, context: EffectContext): Promise<Tool | undefined> {
    const table = await this.inRound(context.view)
    if (this.#isFixed) return table.get(name)
    if (this.#stale().length > 0) await (this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined)))
    const tool = this.#current?.table.get(name) ?? table.get(name)
    if (tool !== undefined && tool !== table.get(name)) this.#taken.set(context.view, new Map(table).set(name, tool))
    return tool
  }

  /** Returns a tool for a caller without a driven run; a toolset that cannot be opened has no tools. */
  async find(name: string): Promise<Tool | undefined> {
    const own = this.own.get(name)
    if (own !== undefined || this.#isFixed) return own
    await this.open()?.catch(() => undefined)
    return this.#current?.table.get(name)
  }

  get known(): ToolTable | undefined {
    return this.#isFixed ? this.own : this.#current?.table
  }

  get failure(): ToolsetError | undefined {
    return this.#missing().find(({ failure }) => failure !== undefined)?.failure
  }

  /** Closes every toolset, even if some fail; rejects with a `ToolsetError` if one failed. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  async #open(): Promise<void> {
    if (this.#closed !== undefined)
      throw new UsageError('agent_closed', 'The agent was closed, and its toolsets with it. Make another one.')
    const missing = this.#missing()
    await Promise.all(missing.map((set) => set.read(this.#closing.signal)))
    const lost = missing.find(({ tools, toolset }) => tools === undefined && toolset.optional !== true)
    if (lost?.failure !== undefined) throw lost.failure
    try {
      this.#current = this.#takeIn(missing)
    } catch (error) {
      for (const set of missing) set.forget()
      throw error
    }
  }

  async #opened(view: RunView): Promise<ToolTable> {
    await this.open()
    return this.inRound(view)
  }

  /** Renews the tools once at a time; other runs wait for the current renewal. */
  async #renewed(context: EffectContext): Promise<ToolTable> {
    if (this.#current === undefined) await this.open()
    else await (this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined)))
    return this.#current === undefined ? this.#renewed(context) : this.#take(this.#current, context)
  }

  async #renew(): Promise<void> {
    await Promise.all(this.#stale().map((set) => set.read(this.#closing.signal)))
    this.#current = this.#takeIn([])
  }

  /** Takes the tools of all toolsets. An invalid tool of a new toolset is an error; a later one is left out. */
  #takeIn(opened: readonly OpenToolset[]): CurrentTools {
    const leftOut: { problem: UsageError; tool: Tool; toolset: string }[] = []
    const groups: ToolGroup[] = this.#toolsets.map(({ toolset, tools = [] }) => ({ toolset: toolset.name, tools }))
    const taken = takeTools(
      [{ tools: this.#own }, ...groups],
      (problem, tool, toolset) => {
        if (toolset === undefined || opened.some((set) => set.toolset.name === toolset)) throw problem
        leftOut.push({ problem, tool, toolset })
      },
      this.#current,
    )
    const failures = this.#toolsets.flatMap(({ failure }) => failure ?? [])
    return {
      ...taken,
      notices: [
        ...failures.map(({ toolset, message }) => ({ type: 'toolset.failed' as const, toolset, message })),
        ...leftOut.map(({ problem, tool: { name }, toolset }) => {
          return { type: 'tool.leftOut' as const, toolset, toolName: name, message: problem.message }
        }),
      ],
    }
  }

  #take({ table, notices }: CurrentTools, context: EffectContext): ToolTable {
    this.#taken.set(context.view, table)
    this.#notices.tell(notices, context)
    return table
  }

  async #close(): Promise<void> {
    this.#closing.abort(new Error('The agent was closed.'))
    const ends = await Promise.allSettled(this.#toolsets.map((set) => set.close()))
    const failures = ends.flatMap((end, index) =>
      end.status === 'rejected' ? [{ name: this.#toolsets[index]?.toolset.name ?? '', cause: end.reason }] : [],
    )
    const [first] = failures
    if (first === undefined) return
    const message = failures.map(({ name, cause }) => `Toolset "${name}" could not be closed: ${thrownText(cause)}`)
    throw new ToolsetError('toolset_not_closed', first.name, message.join('\n'), { cause: first.cause })
  }

  #missing(): readonly OpenToolset[] {
    return this.#toolsets.filter(({ tools }) => tools === undefined)
  }

  #stale(): readonly OpenToolset[] {
    return this.#toolsets.filter(({ isStale }) => isStale)
  }
}

function toolsetsOf(items: readonly (Tool | Toolset)[]): readonly Toolset[] {
  const toolsets: Toolset[] = []
  for (const item of items) {
    if (isTool(item)) continue
    if (toolsets.some(({ name }) => name === item.name)) {
      throw new UsageError('bad_option', `Two toolsets are named "${item.name}". Give each a unique name.`)
    }
    toolsets.push(item)
  }
  return toolsets
}

type Told = Extract<AgentEvent, { type: 'toolset.failed' | 'tool.leftOut' }>

/** An event about toolsets for a run, without its head. */
type ToolNotice = Told extends infer Event
  ? Event extends Told
    ? Omit<Event, 'runId' | 'subject' | 'at'>
    : never
  : never

/** Tells each run once about its missing tools. */
class ToolNotices {
  readonly #told = new WeakMap<RunView, ReadonlySet<string>>()

  tell(notices: readonly ToolNotice[], { view, runId, clock, emit }: EffectContext): void {
    const told = this.#told.get(view)
    if (notices.length === 0 && told === undefined) return
    this.#told.set(view, new Set(notices.map((notice) => JSON.stringify(notice))))
    for (const notice of notices) {
      if (told?.has(JSON.stringify(notice)) !== true) emit({ ...notice, runId, at: clock.now() })
    }
  }
}
