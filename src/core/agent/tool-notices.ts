import type { AgentEvent } from '../domain/event.ts'
import type { EffectContext, RunView } from '../ports/effect-handler.ts'

type Told = Extract<AgentEvent, { type: 'toolset.failed' | 'tool.leftOut' }>

/** An event about toolsets for a run, without its head. */
export type ToolNotice = Told extends infer Event
  ? Event extends Told
    ? Omit<Event, 'runId' | 'subject' | 'at'>
    : never
  : never

/** Tells each run once about its missing tools. */
export class ToolNotices {
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
