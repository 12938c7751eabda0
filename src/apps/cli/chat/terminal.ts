import { setTimeout } from 'node:timers/promises'
import { createActor } from 'xstate'
import type { CliIo, Paint } from '../terminal/cli-io.ts'
import type { Dialog } from '../terminal/dialog.ts'
import { oneLine } from '../terminal/safe-text.ts'
import { Activity } from '../terminal/activity.ts'
import { type ChatEvent, chatMachine } from './chat.machine.ts'
import type { Completion } from './complete.ts'
import { isLeaving, type Key, KeyReader } from './keys.ts'
import { LineEditor } from './line-editor.ts'
import { enterRawMode } from './raw-mode.ts'
import { Screen } from './screen.ts'
import { statusRow } from './status-row.ts'

/** A listener to the terminal while a run is driven. */
export interface Listener {
  /** Called with a completed line. */
  said(text: string): void
  /** Called at the first Ctrl-C. */
  interrupted(): void
}

/** Milliseconds after which all input from before a question has arrived. */
const handoverMs = 50

/** The maximum number of displayed queued messages, and of completions. */
const most = { queued: 3, offered: 40 }

/** The input history and the state of the chart, which is empty if it is unknown. */
export interface TerminalContent {
  readonly history: readonly string[]
  readonly chart: { text: string }
  /** Returns how a draft may continue at its cursor. */
  complete(before: string): Promise<Completion>
}

/** A terminal in raw mode: an input line, questions, and a status. The chart decides the meaning of a key. */
export class Terminal implements Dialog {
  readonly screen: Screen
  readonly #io: CliIo
  readonly #chart: TerminalContent['chart']
  readonly #complete: TerminalContent['complete']
  /** The completions shown after Tab; empty for none. */
  #offered = ''
  readonly #actor = createActor(chatMachine)
  readonly #reader = new KeyReader()
  readonly #editor: LineEditor
  #lineEditor = new LineEditor()
  #listener: Listener | undefined
  #answer: ((typed: string | undefined) => void) | undefined
  /** Lines completed before a caller waited for one. */
  readonly #early: string[] = []
  #question = ''
  #isInterrupted = false
  /** True if the current question was answered elsewhere. */
  #isWithdrawn = false
  readonly #activity: Activity
  /** The number of input pieces so far. */
  #pieces = 0
  #leaveRawMode = () => {}
  /** Messages to the run that it has not processed. */
  queued: readonly string[] = []
  /** Tokens and US dollars of the conversation. */
  used = { tokens: 0, cost: 0 }

  constructor(io: CliIo, paint: Paint, { history, chart, complete }: TerminalContent) {
    this.#io = io
    this.#complete = complete
    this.#chart = chart
    this.screen = new Screen(io, (text) => paint('dim', text))
    this.#editor = new LineEditor(history)
    this.#activity = new Activity(io.clock, () => this.draw())
  }

  /** Takes over the keyboard. */
  begin(): void {
    const { stdin, signal } = this.#io
    stdin.setEncoding('utf8')
    stdin.on('data', this.#hear).resume()
    for (const end of ['end', 'close', 'error']) stdin.on(end, this.leave)
    signal.addEventListener('abort', this.leave, { once: true })
    this.#leaveRawMode = enterRawMode(
      this.#io,
      () => this.draw(),
      () => this.screen.hide(),
    )
    this.#actor.start()
    if (signal.aborted) this.leave()
  }

  /** Releases the keyboard. */
  end(): void {
    const { stdin, signal } = this.#io
    this.status('')
    this.#leaveRawMode()
    stdin.off('data', this.#hear)
    for (const end of ['end', 'close', 'error']) stdin.off(end, this.leave)
    signal.removeEventListener('abort', this.leave)
    stdin.pause()
  }

  get hasLeft(): boolean {
    return this.#actor.getSnapshot().status === 'done'
  }

  /** Sends an event to the chart. */
  send(event: ChatEvent): void {
    this.#actor.send(event)
    this.draw()
  }

  /** Leaves; open questions resolve with undefined. */
  readonly leave = (): void => {
    this.#actor.send({ type: 'left' })
    this.#give(undefined)
    this.#onLeave?.()
  }

  #onLeave: (() => void) | undefined

  /** Resolves with the next line; undefined after the person has left. */
  async nextLine(): Promise<string | undefined> {
    return this.hasLeft ? undefined : (this.#early.shift() ?? (await this.#typed()))
  }

  /** Reports lines and Ctrl-C to a listener while the work runs; calls `left` when the person leaves. */
  async listening<Result>(listener: Listener, left: () => void, work: () => Promise<Result>): Promise<Result> {
    this.#listener = listener
    this.#onLeave = left
    this.#isInterrupted = false
    try {
      return await work()
    } finally {
      this.#listener = undefined
      this.#onLeave = undefined
      this.#isInterrupted = false
    }
  }

  readonly withdraw = (): void => {
    this.#isWithdrawn = true
    this.#give(undefined)
  }

  over(): void {
    this.#isWithdrawn = false
    this.send({ type: 'question.over' })
  }

  async key(question: string): Promise<string | undefined> {
    if (!this.#isAt('askingKey')) {
      this.send({ type: 'call.asks' })
      await setTimeout(handoverMs)
    }
    return await this.#reply(question, 'question.shown')
  }

  async line(question: string): Promise<string | undefined> {
    this.#lineEditor = new LineEditor()
    return await this.#reply(question, 'line.wanted')
  }

  print(text: string): void {
    this.screen.write(`${text}\n`)
  }

  async lend<Result>(work: () => Promise<Result>): Promise<Result> {
    const { stdin } = this.#io
    this.screen.hide()
    stdin.pause()
    stdin.setRawMode?.(false)
    try {
      return await work()
    } finally {
      stdin.setRawMode?.(true)
      stdin.resume()
      this.draw()
    }
  }

  /** Clears the chart's state: another process drives the run. */
  forgetChart(): void {
    this.#chart.text = ''
  }

  /** Shows the current activity with its duration; an empty text removes it. */
  status(label: string): void {
    this.#activity.show(label)
  }

  /** Redraws the footer. */
  draw(): void {
    const isAsked = this.#isAt('askingKey') || this.#isAt('askingLine')
    const own = this.#isAt('askingLine') ? this.#lineEditor.draft : { text: '', cursor: 0 }
    if (this.hasLeft) return this.screen.hide()
    const { label, tookMs } = this.#activity
    this.screen.show({
      rows: [
        ...this.queued.slice(-most.queued).map((text) => `queued: ${oneLine(text, 500)}`),
        ...(this.#offered === '' ? [] : [this.#offered]),
        statusRow({ label, tookMs, chart: this.#chart.text, used: this.used }),
      ],
      prompt: isAsked ? this.#question : '> ',
      draft: isAsked ? own : this.#editor.draft,
    })
  }

  readonly #hear = (piece: Buffer | string): void => {
    const keys = this.#reader.read(String(piece))
    this.#pieces++
    void this.#leaveSequence()
    // Ignores several keys at once: somebody was typing or has pasted.
    const [only] = keys
    if (this.#isAt('askingKey') && only !== undefined) {
      if (keys.length === 1) return this.#takeKey(only)
      return this.print('Several keys at once are not an answer. Press one.')
    }
    for (const key of keys) this.#take(key)
    if (!this.hasLeft) this.draw()
  }

  async #leaveSequence(): Promise<void> {
    const { clock, signal } = this.#io
    const { waitMs } = this.#reader
    if (waitMs === undefined) return
    const pieces = this.#pieces
    await clock.sleepUntil(clock.now() + waitMs, signal)
    const isEscape = this.#pieces === pieces && this.#reader.leaveSequence() !== undefined
    if (isEscape && this.#isAt('listening') && !this.#isInterrupted) this.#interrupt()
  }

  #takeKey(key: Key): void {
    if (key.kind === 'character') this.#give(key.text.toLowerCase())
    else if (key.kind === 'named' && isLeaving(key)) this.#give(undefined)
    else if (key.kind === 'named' && key.name === 'enter') this.#give('')
  }

  #take(key: Key): void {
    if (this.#isAt('askingLine')) {
      if (isLeaving(key)) return this.#give(undefined)
      const line = this.#lineEditor.take(key)
      return line === undefined ? undefined : this.#give(line)
    }
    if (key.kind === 'named' && key.name === 'interrupt') return this.#interrupt()
    if (key.kind === 'named' && key.name === 'endOfInput') {
      return this.#isAt('drafting') && this.#editor.draft.text === '' ? this.leave() : undefined
    }
    if (this.#isAt('drafting')) this.#isInterrupted = false
    // Keeps a line that was begun before the question as a draft.
    if (this.#isAt('hushing') && key.kind === 'named' && key.name === 'enter') return undefined
    this.#offered = ''
    if (key.kind === 'named' && key.name === 'complete') return void this.#offer()
    const line = this.#editor.take(key)
    if (line === undefined) return undefined
    if (this.#listener !== undefined && this.#isAt('listening')) return this.#listener.said(line)
    if (this.#answer === undefined) return void this.#early.push(line)
    return this.#give(line)
  }

  /** Completes the draft, unless it has changed meanwhile; several that fit are shown. */
  async #offer(): Promise<void> {
    const { draft } = this.#editor
    const { added, all } = await this.#complete(draft.text.slice(0, draft.cursor))
    if (this.#editor.draft !== draft || this.hasLeft) return
    if (added !== '') this.#editor.take({ kind: 'paste', text: added })
    this.#offered = added === '' && all.length > 1 ? oneLine(all.slice(0, most.offered).join('  '), 1_000) : ''
    this.draw()
  }

  /** Handles Ctrl-C: the first interrupts the current activity, the second leaves. */
  #interrupt(): void {
    if (this.#isInterrupted) return this.leave()
    if (this.#isAt('drafting') && this.#editor.draft.text !== '') return this.#editor.set('')
    this.#isInterrupted = true
    if (this.#isAt('listening')) return this.#listener?.interrupted()
    this.print('Ctrl-C again leaves.')
  }

  #isAt(state: 'drafting' | 'listening' | 'hushing' | 'askingKey' | 'askingLine'): boolean {
    return this.#actor.getSnapshot().matches(state)
  }

  async #reply(question: string, type: 'question.shown' | 'line.wanted'): Promise<string | undefined> {
    this.#question = question
    this.send({ type })
    return this.hasLeft || this.#isWithdrawn ? undefined : await this.#typed()
  }

  #typed(): Promise<string | undefined> {
    return new Promise((resolve) => (this.#answer = resolve))
  }

  #give(typed: string | undefined): void {
    const answer = this.#answer
    this.#answer = undefined
    answer?.(typed)
  }
}
