import type { Meter } from '@opentelemetry/api'
import type { AssistantMessage } from '../../core/domain/message.ts'
import { metricNames, names } from './gen-ai.ts'

/** The metrics of every run that a tracer follows. */
export class RunMeters {
  readonly #tokens
  readonly #duration
  readonly #turns
  readonly #cost
  readonly #waits
  readonly #retries

  constructor(meter: Meter) {
    this.#tokens = meter.createHistogram(metricNames.tokens, {
      unit: '{token}',
      description: 'Tokens of a model call.',
    })
    this.#duration = meter.createHistogram(metricNames.duration, { unit: 's', description: 'Time of a model call.' })
    this.#turns = meter.createCounter(metricNames.turns, { unit: '{turn}', description: 'Answers of models.' })
    this.#cost = meter.createCounter(metricNames.cost, { unit: 'USD', description: 'Cost of model calls.' })
    this.#waits = meter.createCounter(metricNames.waits, { unit: '{wait}', description: 'Runs that came to wait.' })
    this.#retries = meter.createCounter(metricNames.retries, { unit: '{retry}', description: 'Effects tried again.' })
  }

  /** Counts what the answer to one request to a model has used. */
  answered(agent: string, { provider, model, usage, cost }: AssistantMessage, seconds: number): void {
    const labels = labelsOf(agent, provider, model)
    this.#tokens.record(usage.input + usage.cacheRead + usage.cacheWrite, { ...labels, [names.tokenType]: 'input' })
    this.#tokens.record(usage.output, { ...labels, [names.tokenType]: 'output' })
    this.#duration.record(seconds, labels)
    if (cost !== undefined) this.#cost.add(cost, labels)
  }

  /** Counts an answer that the run goes on from; a part of one and a summary are none. */
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
