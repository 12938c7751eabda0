/** The names from OpenTelemetry's GenAI conventions and from OpenInference, and our own names for the rest. */
export const names = {
  operation: 'gen_ai.operation.name',
  agent: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  tokenType: 'gen_ai.token.type',
  errorType: 'error.type',
  kind: 'openinference.span.kind',
  runId: 'statewright.run.id',
  runStatus: 'statewright.run.status',
  runReason: 'statewright.run.reason',
  effect: 'statewright.effect',
  turn: 'statewright.turn',
  attempt: 'statewright.attempt',
  callStatus: 'statewright.call.status',
  cost: 'statewright.cost',
  waitKind: 'statewright.wait.kind',
  decision: 'statewright.decision',
  decidedBy: 'statewright.decision.by',
} as const

/** Our own metrics, for which neither convention has a name. */
export const ownMetrics = {
  turns: 'statewright.turns',
  cost: 'statewright.cost',
  waits: 'statewright.waits',
  retries: 'statewright.retries',
} as const

/** A metric of the tokens of a model call. */
export interface TokenMetric {
  readonly name: string
  readonly instrument: 'counter' | 'histogram'
  /** The kinds of tokens; the attribute `gen_ai.token.type` distinguishes several kinds. */
  readonly kinds: readonly ('input' | 'output' | 'cacheRead' | 'cacheWrite')[]
}

/** The names that differ between two versions of the GenAI conventions. */
export interface Conventions {
  /** The attribute of the tokens that a request has written to the provider's cache. */
  readonly cacheWriteTokens: string
  /** The histogram of a model call's duration in seconds. */
  readonly duration: string
  readonly tokens: readonly TokenMetric[]
}

const today: Conventions = {
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  duration: 'gen_ai.client.operation.duration',
  tokens: [{ name: 'gen_ai.client.token.usage', instrument: 'histogram', kinds: ['input', 'output'] }],
}

const inference = 'gen_ai.client.inference'

/** Version 0.1.0 of the conventions, from their own repository: `docs/gen-ai/client-inference.md`. */
const latest: Conventions = {
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  duration: `${inference}.duration`,
  tokens: [
    { name: `${inference}.usage.input_tokens`, instrument: 'counter', kinds: ['input'] },
    { name: `${inference}.usage.output_tokens`, instrument: 'counter', kinds: ['output'] },
    { name: `${inference}.usage.cache_read.input_tokens`, instrument: 'counter', kinds: ['cacheRead'] },
    { name: `${inference}.usage.cache_write.input_tokens`, instrument: 'counter', kinds: ['cacheWrite'] },
    { name: `${inference}.operation.input_tokens`, instrument: 'histogram', kinds: ['input'] },
    { name: `${inference}.operation.output_tokens`, instrument: 'histogram', kinds: ['output'] },
  ],
}

/**
 * Returns the conventions for the variable `OTEL_SEMCONV_STABILITY_OPT_IN`: version 0.1.0 if
 * `gen_ai_latest_experimental` is among its comma-separated values, or else the current ones.
 */
export function conventionsOf(optIn = ''): Conventions {
  return optIn.split(',').some((value) => value.trim() === 'gen_ai_latest_experimental') ? latest : today
}
