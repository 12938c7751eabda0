import { readEvents } from '../../core/driving/served-events.ts'
import { foldEvent } from '../../core/domain/fold-event.ts'
import { checkedResponse, RequestError } from '../../core/domain/request-error.ts'
import { emptyRunView, type RunView } from '../../core/domain/run-view.ts'
import type { TranscriptMessage } from '../../ports.ts'
import type { PassedStates, RunSummary } from '../../servers/studio/show-run.ts'
import { get, problemOf, send } from './client.ts'
import { type KnownRun, shownByEvents } from './run-model.ts'

/** Milliseconds between looks at a resting run, and at an unreachable studio. */
const lookMs = 800
const lostMs = 2_000
/** The number of checkpoints per request, and the maximum of displayed ones. */
const wayStep = 20
const mostPassed = 100

/** Follows one run from its stored events, and reports what it knows. */
export class RunFollower {
  readonly #runId: string
  readonly #tell: (known: KnownRun) => void
  readonly #ending = new AbortController()
  #known: KnownRun = { passed: [] }
  #view: RunView = emptyRunView
  #carried: readonly TranscriptMessage[] = []
  #isTelling = false
  /** True if the view has events that were not displayed yet. */
  #isViewNew = false
  #isReadingWay = false
  #wake: (() => void) | undefined

  constructor(runId: string, tell: (known: KnownRun) => void) {
    this.#runId = runId
    this.#tell = tell
    void this.#follow()
  }

  /** Looks at once, because something was sent to the run. */
  look(): void {
    if (this.#wake !== undefined) this.#wake()
    else void this.#look().catch(() => undefined)
  }

  end(): void {
    this.#ending.abort()
    this.#wake?.()
  }

  async #follow(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      try {
        await this.#look()
        await this.#read()
        this.#set({ trouble: undefined })
        await this.#pause(lookMs)
      } catch (error) {
        if (this.#ending.signal.aborted) return
        const isOver = this.#failed(error)
        await this.#pause(isOver ? lostMs * 5 : lostMs)
      }
    }
  }

  /** Returns true if another look soon is useless. */
  #failed(error: unknown): boolean {
    const code = error instanceof RequestError ? error.code : ''
    if (code === 'run_unknown') {
      const text =
        this.#known.summary === undefined ? 'There is no run with this id.' : 'The run was deleted meanwhile.'
      this.#set({ trouble: { kind: 'gone', text } })
      return true
    }
    const kind = code === 'run_damaged' || code.startsWith('snapshot') ? 'damaged' : 'lost'
    this.#set({ trouble: { kind, text: problemOf(error) } })
    return kind === 'damaged'
  }

  /** Reads the state of the run if it has changed. */
  async #look(): Promise<void> {
    const before = this.#known.summary
    const since = before === undefined ? '' : `?known=${before.record.version}`
    const summary = { ...before, ...(await this.#get<RunSummary>(`summary${since}`)) }
    this.#set({ summary })
    if (before?.record.version === summary.record.version && !this.#isBehind(summary)) return
    const { forkedFrom, session } = summary.record
    if (before === undefined && (forkedFrom !== undefined || session !== undefined)) {
      this.#carried = (await this.#get<{ messages: readonly TranscriptMessage[] }>('')).messages
    }
    void this.#readWay(summary).catch(() => undefined)
  }

  #isBehind({ checkpoints }: RunSummary): boolean {
    return this.#known.shown === undefined || this.#known.passed.at(-1)?.version !== checkpoints.at(-1)?.version
  }

  /** Reads the newest states first, because they are the active ones. */
  async #readWay({ checkpoints }: RunSummary): Promise<void> {
    if (this.#isReadingWay) return
    this.#isReadingWay = true
    try {
      await this.#readPassed(checkpoints)
    } finally {
      this.#isReadingWay = false
    }
  }

  async #readPassed(checkpoints: RunSummary['checkpoints']): Promise<void> {
    const known = new Set(this.#known.passed.map(({ version }) => version))
    const wanted = checkpoints
      .slice(-mostPassed)
      .map(({ version }) => version)
      .filter((version) => !known.has(version))
    for (let size = 1; wanted.length > 0; size = wayStep) {
      const versions = wanted.splice(-size)
      const { passed } = await this.#get<{ passed: readonly PassedStates[] }>(`way?versions=${versions.join(',')}`)
      const all = [...this.#known.passed, ...passed]
      this.#set({ passed: all.sort((left, right) => left.version - right.version) })
    }
  }

  async #read(): Promise<void> {
    let [isLooking, isWanted] = [false, false]
    // One look at a time: a slow studio is asked again only after it has answered.
    const look = async () => {
      isWanted = true
      if (isLooking) return
      for (isLooking = true; isWanted;) {
        isWanted = false
        await this.#look().catch(() => undefined)
      }
      isLooking = false
    }
    // An answer that no process carries out is stored without an event, and the stream of its run stays open.
    const looking = setInterval(() => void look(), lostMs)
    let looksSoon: ReturnType<typeof setTimeout> | undefined
    try {
      const path = `/api/runs/${encodeURIComponent(this.#runId)}/events?after=${this.#view.seq}`
      const response = await checkedResponse(send(path, { signal: this.#ending.signal }))
      for await (const events of readEvents(response)) {
        for (const event of events) {
          this.#view = foldEvent(this.#view, event)
          this.#isViewNew = true
          const parent = event.type === 'run.started' ? event.parentRunId : undefined
          this.#set(parent === undefined ? {} : { parentRunId: parent })
          if (event.seq === undefined || looksSoon !== undefined) continue
          looksSoon = setTimeout(() => {
            looksSoon = undefined
            void look()
          }, 250)
        }
      }
    } finally {
      clearInterval(looking)
    }
  }

  #get<Value>(what: string): Promise<Value> {
    const path = `runs/${encodeURIComponent(this.#runId)}${what === '' ? '' : `/${what}`}`
    return get<Value>(path, this.#ending.signal)
  }

  /** Displays at most once per frame. */
  #set(changed: { readonly [Name in keyof KnownRun]?: KnownRun[Name] | undefined }): void {
    const next = { ...this.#known, ...changed }
    const { trouble, ...others } = next
    this.#known = { ...others, ...(trouble === undefined ? {} : { trouble }) } as KnownRun
    if (this.#isTelling || this.#ending.signal.aborted) return
    this.#isTelling = true
    setTimeout(() => {
      this.#isTelling = false
      if (this.#isViewNew) this.#known = { ...this.#known, shown: shownByEvents(this.#view, this.#carried) }
      this.#isViewNew = false
      if (!this.#ending.signal.aborted) this.#tell(this.#known)
    }, 16)
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
  }
}
