import { isRecord } from '../../domain/text/json.ts'
import { type AssistantMessage, textOf } from '../../domain/message.ts'
import { noUsage } from '../../domain/usage.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Model, ModelEvent } from '../../ports/model.ts'
import type { Plugin } from '../../ports/plugin.ts'
import type { AgentParts } from '../agent-parts.ts'
import { type Asking, askPlugin, failedAt, listening } from '../ask-code.ts'
import { ApplicationError } from '../../domain/application-error.ts'
import { checkAnswer } from './check-answer.ts'
import { PartialOutput } from './partial-output.ts'
import { requestContext } from './request-parts.ts'
import { isWrappedOutput, unwrappedPart } from './rooted-output.ts'

/** The parts of an agent that are needed to hold an answer back. */
export type HoldingParts = Pick<AgentParts, 'plugins' | 'pluginTimeoutMs' | 'output'>

/** An answer after the plugins' changes, or the reason for which one of them refused it. */
export type AnswerVerdict =
  | { readonly kind: 'kept'; readonly answer: AssistantMessage }
  | { readonly kind: 'refused'; readonly reason: string }

/** The maximum number of times that a plugin is asked about one growing text, each time after it has doubled. */
const mostAskings = 256

/**
 * An answer that plugins see before anybody else does. Its text is released once it has left the window that all of
 * them have declared, or without a window once the whole answer has arrived.
 */
export class HeldAnswer {
  readonly #parts: HoldingParts
  readonly #model: Model
  readonly #turn: number
  readonly #context: EffectContext
  readonly #listening: readonly Plugin[]
  readonly #window: number
  #text = ''
  #askedLength = 0
  #released = ''
  #refusal: AnswerVerdict | undefined

  constructor(parts: HoldingParts, model: Model, turn: number, context: EffectContext) {
    this.#parts = parts
    this.#model = model
    this.#turn = turn
    this.#context = context
    this.#listening = listening(parts.plugins, 'onAnswer')
    this.#window = Math.max(...this.#listening.map(({ answerWindow = Infinity }) => answerWindow))
  }

  /** Passes on the end of a stream, and the text that has left the window. `earlier` is the text that the stream continues. */
  async *through(events: AsyncIterable<ModelEvent>, earlier: string): AsyncIterable<ModelEvent> {
    yield* this.#passed(earlier)
    for await (const event of events) {
      if (event.type === 'finished') yield event
      else if (event.type === 'text') yield* this.#passed(event.delta)
    }
  }

  /** Asks the plugins about the whole answer, and emits the rest of it. The answer's usage and cost are kept. */
  async release(answer: AssistantMessage): Promise<AnswerVerdict> {
    const verdict = this.#refusal ?? (await this.#ask(answer, true))
    const isContinued = verdict.kind === 'kept' && textOf(verdict.answer).startsWith(this.#released)
    if (!isContinued && this.#released !== '') this.#restart()
    if (verdict.kind === 'kept') this.#tell(verdict.answer)
    return verdict
  }

  async *#passed(delta: string): AsyncIterable<ModelEvent> {
    if (this.#refusal !== undefined || this.#window === Infinity) return
    this.#text += delta
    const { length } = this.#text
    // For a longer text the plugins are asked at longer intervals, so that the work is linear in its length.
    if (length - this.#askedLength < Math.max(this.#window, length / mostAskings)) return
    this.#askedLength = length
    const verdict = await this.#ask(this.#soFar(), false)
    if (verdict.kind === 'refused') {
      this.#refusal = verdict
      return
    }
    const text = textOf(verdict.answer)
    const released = wholeCharacters(text, text.length - this.#window)
    const fresh = released.slice(this.#released.length)
    if (fresh === '') return
    this.#released = released
    yield { type: 'text', delta: fresh }
  }

  #soFar(): AssistantMessage {
    const { provider, id } = this.#model
    const content = [{ type: 'text' as const, text: this.#text }]
    const head = { role: 'assistant' as const, model: id, provider, timestamp: this.#context.clock.now() }
    return { ...head, content, stopReason: 'stop', usage: noUsage }
  }

  async #ask(answer: AssistantMessage, isWhole: boolean): Promise<AnswerVerdict> {
    const bounds = { ...this.#context, pluginTimeoutMs: this.#parts.pluginTimeoutMs }
    let kept = answer
    for (const plugin of this.#listening) {
      const judge = async ({ shown, signal }: Asking<AssistantMessage>): Promise<AnswerVerdict> => {
        const context = { ...requestContext(this.#model, this.#turn, this.#context, signal), isWhole }
        return readVerdict(this.#model, shown, await answerOf(() => plugin.onAnswer?.(shown, context)))
      }
      const verdict = await askPlugin(plugin, 'onAnswer', bounds, judge, kept)
      if (verdict.kind === 'refused') return verdict
      if (verdict.answer !== kept) this.#checkReleased(plugin, verdict.answer)
      kept = verdict.answer
    }
    return { kind: 'kept', answer: kept }
  }

  /** Throws if a plugin replaces released text, which cannot be withdrawn: its window is too small. */
  #checkReleased({ name, answerWindow }: Plugin, answer: AssistantMessage): void {
    if (textOf(answer).startsWith(this.#released)) return
    const wish = `Raise its answerWindow of ${answerWindow}, or leave it out to hold back the whole answer.`
    throw new ApplicationError(`${failedAt(name, 'onAnswer')}: it replaced text that was already released. ${wish}`)
  }

  /** Followers of the answer discard what they have. */
  #restart(): void {
    const { runId, clock, emit } = this.#context
    this.#released = ''
    emit({ type: 'message.started', runId, at: clock.now(), turn: this.#turn, role: 'assistant' })
  }

  /** Emits the parts of a whole answer, as a stream would have emitted them. */
  #tell(answer: AssistantMessage): void {
    const { runId, clock, emit } = this.#context
    const head = { runId, at: clock.now(), turn: this.#turn }
    for (const block of answer.content) {
      if (block.type === 'thinking') {
        emit({ type: 'message.updated', ...head, delta: { type: 'thinking', delta: block.thinking } })
      }
    }
    const text = textOf(answer)
    const delta = text.slice(this.#released.length)
    if (delta === '') return
    emit({ type: 'message.updated', ...head, delta: { type: 'text', delta } })
    const { output } = this.#parts
    if (output === undefined || output.builder !== undefined) return
    const read = new PartialOutput().add(text)
    const partial = isWrappedOutput(output) ? unwrappedPart(read) : read
    if (partial !== undefined) emit({ type: 'output.updated', ...head, partial })
  }
}

/** Asks one plugin. The text of its error is neither emitted nor stored, because it may hold the answer. */
async function answerOf(ask: () => unknown): Promise<unknown> {
  try {
    return await ask()
  } catch {
    throw new Error('it threw. The exception is not stored, because it may contain the hidden text.')
  }
}

function readVerdict(model: Model, answer: AssistantMessage, given: unknown): AnswerVerdict {
  if (given === undefined) return { kind: 'kept', answer }
  const { content, refuse } = isRecord(given) ? given : {}
  // A store keeps the reason as text, which must not contain half of a surrogate pair.
  if (content === undefined && isFilled(refuse)) return { kind: 'refused', reason: refuse.toWellFormed() }
  if (refuse !== undefined || !Array.isArray(content)) {
    const wish = 'Expected { content: [text, thinking or toolCall blocks] }, { refuse: reason } or nothing.'
    throw new TypeError(`it returned neither content nor a reason to refuse. ${wish}`)
  }
  const { cost } = answer
  const checked = checkAnswer(model, { ...answer, content })
  return { kind: 'kept', answer: { ...checked, ...(cost === undefined ? {} : { cost }) } }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** Returns the beginning of a text without half of a character at its end. */
function wholeCharacters(text: string, length: number): string {
  const isHalf = /[\uD800-\uDBFF]$/.test(text.slice(Math.max(0, length - 1), Math.max(0, length)))
  return text.slice(0, Math.max(0, isHalf ? length - 1 : length))
}
