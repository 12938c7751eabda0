import type {
  Attributes,
  Context,
  MeterProvider,
  Span,
  Tracer as SpanMaker,
  TracerProvider,
  SpanContext,
} from '@opentelemetry/api'
import * as is from '../../core/domain/text/option-shape.ts'
import { isRecord } from '../../core/domain/text/json.ts'
import type { Secret } from '../../core/domain/text/redactor.ts'
import { valueShower } from '../../core/domain/text/shown-value.ts'
import type { TraceContext } from '../../core/domain/trace-context.ts'
import type {
  EffectTrace,
  RunTrace,
  TracedAnswer,
  TracedEffect,
  TracedEnd,
  TracedRest,
  TracedRun,
  TracedWait,
  Tracer,
  WorkTrace,
} from '../../core/ports/tracer.ts'
import {
  describeAnswer,
  describeAsk,
  type DescribedEffect,
  type DescribedEnd,
  describeEffect,
  describeEnd,
  describeWait,
  type ShowContent,
} from './describe-effect.ts'
import { type Conventions, conventionsOf, names } from './gen-ai.ts'
import { type Api, loadApi } from './load-api.ts'
import { RunMeters } from './run-meters.ts'

/** Options of the tracer: the providers, and the content of spans. */
export interface OpenTelemetryOptions {
  /** Default: the provider that your SDK has registered. */
  readonly tracerProvider?: TracerProvider
  /** Default: the provider that your SDK has registered. */
  readonly meterProvider?: MeterProvider
  /** True to include prompts, answers, arguments and results in the spans, masked and truncated. Default: none. */
  readonly content?: boolean
  /** Secrets to mask in contents by their values. Secrets with a known field name or format are always masked. */
  readonly secrets?: readonly Secret[]
}

/**
 * Returns a tracer for OpenTelemetry: a span `invoke_agent` for each time a process drives a run, with child spans
 * `chat`, `execute_tool` and `permission`. It uses the current GenAI conventions, or version 0.1.0 if the variable
 * `OTEL_SEMCONV_STABILITY_OPT_IN` contains `gen_ai_latest_experimental`. A run stays in one trace over waits and
 * restarts. Without an SDK no spans are created. Rejects with a `UsageError` `package_missing` without
 * `@opentelemetry/api`.
 *
 * @example
 * const agent = createAgent({ name: 'clerk', model, tracer: await openTelemetry() })
 */
export async function openTelemetry(options: OpenTelemetryOptions = {}): Promise<Tracer> {
  is.checkOptions('openTelemetry', options, shape)
  const api = await loadApi()
  const { tracerProvider = api.trace, meterProvider = api.metrics, content = false, secrets = [] } = options
  const maker = tracerProvider.getTracer('statewright')
  const conventions = conventionsOf(environment().OTEL_SEMCONV_STABILITY_OPT_IN)
  const meters = new RunMeters(meterProvider.getMeter('statewright'), conventions)
  const show = content ? valueShower(secrets) : undefined
  return { open: (run) => new RunSpan(run, { api, maker, meters, show, conventions }) }
}

/** Returns the environment variables of the process; none in a browser. */
function environment(): { readonly OTEL_SEMCONV_STABILITY_OPT_IN?: string } {
  const { process } = globalThis as { readonly process?: { readonly env: object } }
  return process?.env ?? {}
}

const shape = {
  tracerProvider: is.optional(is.having('a tracer provider', 'getTracer')),
  meterProvider: is.optional(is.having('a meter provider', 'getMeter')),
  content: is.optional(is.flag),
  secrets: is.optional(is.listOf(is.options<Secret>({ name: is.filledText, value: is.filledText }))),
}

interface SpanParts {
  readonly api: Api
  readonly maker: SpanMaker
  readonly meters: RunMeters
  readonly show: ShowContent
  readonly conventions: Conventions
}

/** The span of a run while one process drives it. Its parent and link is the stored span context. */
class RunSpan implements RunTrace {
  readonly #run: TracedRun
  readonly #parts: SpanParts
  readonly #span: Span
  readonly #context: Context
  /** False without an SDK, so that no child span has a position in a trace either. */
  readonly #isInTrace: boolean

  constructor(run: TracedRun, parts: SpanParts) {
    const { api, maker } = parts
    const { runId, agent, subject, traceparent } = run
    const stored = traceparent === undefined ? undefined : spanContextOf(traceparent)
    const active = api.context.active()
    const parent = stored === undefined ? active : api.trace.setSpanContext(active, stored)
    const attributes = {
      [names.operation]: 'invoke_agent',
      [names.kind]: 'AGENT',
      [names.agent]: agent,
      [names.conversation]: subject,
      [names.runId]: runId,
    }
    const links = stored === undefined ? [] : [{ context: stored }]
    this.#run = run
    this.#parts = parts
    this.#span = maker.startSpan(`invoke_agent ${agent}`, { kind: api.SpanKind.INTERNAL, attributes, links }, parent)
    this.#context = api.trace.setSpan(parent, this.#span)
    this.#isInTrace = api.isSpanContextValid(this.#span.spanContext())
  }

  get traceparent(): string | undefined {
    return this.#isInTrace ? traceparentOf(this.#span.spanContext()) : undefined
  }

  performing(effect: TracedEffect): EffectTrace | undefined {
    const { show } = this.#parts
    const described = describeEffect(effect, show)
    if (described === undefined) return undefined
    if (described === 'asks') return this.#asking(effect)
    return this.#work(described, (end) => {
      this.#count(effect, end)
      return describeEnd(end, show)
    })
  }

  /** Traces an effect with requests to models. Only the requests have spans, regardless of the effect's result. */
  #asking(effect: TracedEffect): EffectTrace {
    const { api, meters, show, conventions } = this.#parts
    return {
      ...(this.#isInTrace ? { context: contextOf(this.#span) } : {}),
      within: (perform) => api.context.with(this.#context, perform),
      asking: (ask) =>
        this.#work(describeAsk(effect, ask, show), (end: TracedAnswer, seconds) => {
          if ('answer' in end) meters.answered(this.#run.agent, end.answer, seconds)
          return describeAnswer(end, show, conventions)
        }),
      end: (end) => this.#count(effect, end),
    }
  }

  /** Creates the span of a wait from its times, below the first span of the run. */
  waited(wait: TracedWait): void {
    const { api, maker } = this.#parts
    const described = describeWait(wait)
    if (described === undefined) return
    const { traceparent } = this.#run
    const stored = traceparent === undefined ? undefined : spanContextOf(traceparent)
    const parent = stored === undefined ? this.#context : api.trace.setSpanContext(this.#context, stored)
    const span = maker.startSpan(
      described.name,
      { startTime: new Date(wait.startedAt), attributes: this.#withRun(described.attributes) },
      parent,
    )
    if (wait.decision === undefined) span.setStatus({ code: api.SpanStatusCode.ERROR })
    span.end(new Date(Math.max(wait.startedAt, wait.endedAt)))
  }

  #withRun(attributes: Attributes): Attributes {
    return { ...attributes, [names.agent]: this.#run.agent, [names.runId]: this.#run.runId }
  }

  /** Opens a span; `ended` returns the additions at its end, after the given seconds. */
  #work<End>(described: DescribedEffect, ended: (end: End, seconds: number) => DescribedEnd): WorkTrace<End> {
    const { api, maker } = this.#parts
    const { name, kind } = described
    const attributes = this.#withRun(described.attributes)
    const span = maker.startSpan(
      name,
      { kind: kind === 'client' ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL, attributes },
      this.#context,
    )
    const inside = api.trace.setSpan(this.#context, span)
    const startedAt = performance.now()
    return {
      ...(this.#isInTrace ? { context: contextOf(span) } : {}),
      within: (perform) => api.context.with(inside, perform),
      end: (end) => {
        const { attributes: more, error } = ended(end, (performance.now() - startedAt) / 1000)
        span.setAttributes(more)
        if (error !== undefined) {
          span.setAttribute(names.errorType, error)
          span.setStatus({ code: api.SpanStatusCode.ERROR })
        }
        span.end()
      },
    }
  }

  #count({ src }: TracedEffect, end: TracedEnd): void {
    if (!('output' in end)) return
    const { meters } = this.#parts
    const answer = end.messages.find((message) => message.role === 'assistant')
    if (answer !== undefined) meters.turned(this.#run.agent, answer)
    if (isRecord(end.output) && typeof end.output['retryAt'] === 'number') meters.retried(this.#run.agent, src)
  }

  end({ status, reason, error }: TracedRest): void {
    const { api, meters } = this.#parts
    this.#span.setAttribute(names.runStatus, status)
    if (reason !== undefined) this.#span.setAttribute(names.runReason, reason)
    if (error !== undefined) {
      this.#span.setAttribute(names.errorType, error.code ?? 'error')
      this.#span.setStatus({ code: api.SpanStatusCode.ERROR })
    }
    if (status === 'waiting') meters.waited(this.#run.agent, reason ?? 'suspended')
    this.#span.end()
  }
}

function contextOf(span: Span): TraceContext {
  const context = span.spanContext()
  const tracestate = context.traceState?.serialize()
  const traceparent = traceparentOf(context)
  return tracestate === undefined || tracestate === '' ? { traceparent } : { traceparent, tracestate }
}

/** Returns a span's position in a trace, in the format of W3C's header. */
function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 255).toString(16).padStart(2, '0')}`
}

/** Returns the position in a valid header. */
function spanContextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}
