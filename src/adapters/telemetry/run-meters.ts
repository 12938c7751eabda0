import type { Histogram, Meter } from '@opentelemetry/api'
import type { AssistantMessage } from '../../core/domain/message.ts'
import { type Conventions, names, ownMetrics, type TokenMetric } from './gen-ai.ts'

/** The metrics of every run of a tracer. */
export class RunMeters {
  readonly #tokens: readonly (Pick<TokenMetric, 'kinds'> & { readonly metric: Pick<Histogram, 'record'> })[]
  readonly #duration
  readonly #turns
  readonly #cost
  readonly #waits
  readonly #retries

  constructor(meter: Meter, conventions: Conventions) {
    const about = { unit: '{token}', description: 'Tokens of a model call.' }
    this.#tokens = conventions.tokens.map(({ name, instrument, kinds }) => {
      if (instrument === 'histogram') return { kinds, metric: meter.createHistogram(name, about) }
      const counter = meter.createCounter(name, about)
      return { kinds, metric: { record: counter.add.bind(counter) } }
    })
    this.#duration = meter.createHistogram(conventions.duration, { unit: 's', description: 'Time of a model call.' })
    this.#turns = meter.createCounter(ownMetrics.turns, { unit: '{turn}', description: 'Answers of models.' })
    this.#cost = meter.createCounter(ownMetrics.cost, { unit: 'USD', description: 'Cost of model calls.' })
    this.#waits = meter.createCounter(ownMetrics.waits, { unit: '{wait}', description: 'Runs that began to wait.' })
    this.#retries = meter.createCounter(ownMetrics.retries, { unit: '{retry}', description: 'Effects tried again.' })
  }

  /** Counts the usage of one request's answer. */
  answered(agent: string, { provider, model, usage, cost }: AssistantMessage, seconds: number): void {
    const labels = labelsOf(agent, provider, model)
    const counts = { ...usage, input: usage.input + usage.cacheRead + usage.cacheWrite }
    for (const { kinds, metric } of this.#tokens) {
      const isLabelled = kinds.length > 1
      for (const kind of kinds)
        metric.record(counts[kind], isLabelled ? { ...labels, [names.tokenType]: kind } : labels)
    }
    this.#duration.record(seconds, labels)
    if (cost !== undefined) this.#cost.add(cost, labels)
  }

  /** Counts an answer that the run continues from; a part of an answer and a summary do not count. */
  turned(agent: string, { provider, model }: AssistantMessage): void {
    this.#turns.add(1, labelsOf(agent, provider, model))
  }

  waited(agent: string, reason: string): void {
    this.#waits.add(1, { [names.agent]: agent, [names.runReason]: reason })
  }

  retried(agent: string, effect: string): void {
    this.#retries.add(1, { [names.agent]: agent, [names.operation]: effect })
  }
}

function labelsOf(agent: string, provider: string, model: string) {
  return {
    [names.operation]: 'chat',
    [names.agent]: agent,
    [names.provider]: provider,
    [names.requestModel]: model,
  }
}
