import type { BedrockRuntimeClientConfig, ConverseStreamOutput } from '@aws-sdk/client-bedrock-runtime'
import { ModelError } from '../../../core/domain/model-error.ts'
import { checkedElsewhere, optional, type OptionShape, text } from '../../../core/domain/text/option-shape.ts'
import type { CacheStrategy, Model } from '../../../core/ports/model.ts'
import { budgetOf, thinkingPlan, thinksAdaptively } from '../anthropic/thinking.ts'
import { answerStream, type Line } from '../wire/answer-stream.ts'
import { knownAddress } from '../wire/base-address.ts'
import { loadSdk } from '../wire/load-sdk.ts'
import { factsOf } from '../wire/model-facts.ts'
import { keySourceOf, type ModelOptions } from '../wire/model-options.ts'
import { cache, checkModel, modelShape } from '../wire/model-shape.ts'
import { BedrockAnswer } from './answer.ts'
import { requestHandler } from './request-handler.ts'
import { bedrockRequest, type BedrockSettings } from './request.ts'
import { accepted } from '../wire/accepted.ts'

/** Keys of an AWS identity, which sign each request. */
export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/**
 * Options of `bedrock`, all of them optional. `apiKey` or `credentials` give a bearer token, whose variable is
 * AWS_BEARER_TOKEN_BEDROCK; without one requests are signed with `awsKeys`, else with whatever AWS's own chain of
 * environment, profiles and roles finds.
 */
export interface BedrockOptions extends ModelOptions {
  readonly awsKeys?: AwsKeys | (() => Promise<AwsKeys>)
  /** Default: AWS_REGION, else AWS_DEFAULT_REGION. */
  readonly region?: string
  /** Default: the region's own. */
  readonly baseURL?: string
  /** Prompt caching: `auto` (default) marks what the model can cache. */
  readonly cache?: CacheStrategy
}

const shape: OptionShape<BedrockOptions> = {
  ...modelShape,
  awsKeys: checkedElsewhere,
  region: optional(text),
  baseURL: optional(text),
  cache: optional(cache),
}

/**
 * A model on Amazon Bedrock's ConverseStream, by the package `@aws-sdk/client-bedrock-runtime`.
 *
 * @example
 * bedrock('us.anthropic.claude-sonnet-5', { region: 'us-east-1' })
 */
export function bedrock(model: string, options: BedrockOptions = {}): Model {
  checkModel('bedrock', model, options, shape)
  const { limiter, idleTimeoutMs = 120_000, fetch = globalThis.fetch, now = Date.now } = options
  const settings: BedrockSettings = {
    model,
    maxTokens: options.maxTokens ?? answerTokens(model),
    thinking: options.thinking,
    cache: options.cache ?? 'auto',
  }
  const auth = authOf(options)
  const facts = factsOf('bedrock', model, options)
  const most = settings.maxTokens
  return {
    provider: 'bedrock',
    id: model,
    wire: 'bedrock-converse',
    media: accepted['bedrock-converse'],
    get baseUrl() {
      return knownAddress(() => options.baseURL ?? serverOf(regionOf(options)))
    },
    thinking: options.thinking,
    ...facts,
    ...(most === undefined ? {} : { maxTokens: most + budgetOf(thinkingPlan(model, options.thinking)) }),
    ...auth.refreshing,
    stream(request) {
      const { input, prefix, leftOut } = bedrockRequest(request, settings)
      const { signal } = request
      const call = { provider: 'bedrock', keySource, signal, idleTimeoutMs, fetch, now, limiter, leftOut, mediaType }
      return answerStream(
        call,
        async (line) => await openStream(input, line, await auth.config(), options),
        new BedrockAnswer(model, prefix),
      )
    },
  }
}

const variable = 'AWS_BEARER_TOKEN_BEDROCK'
const keySource = `${variable}, the option apiKey or the option awsKeys`
const mediaType = 'application/vnd.amazon.eventstream'

function answerTokens(model: string): number | undefined {
  if (!model.includes('claude')) return undefined
  return thinksAdaptively(model) ? 32_000 : 8192
}

type Auth = Pick<BedrockRuntimeClientConfig, 'token' | 'authSchemePreference' | 'credentials'>

function authOf(options: BedrockOptions): {
  readonly config: () => Promise<Auth>
  readonly refreshing: Pick<Model, 'refreshCredentials'>
} {
  const { refreshing, key } = keySourceOf('bedrock', options, variable)
  const isGiven = options.apiKey !== undefined || options.credentials !== undefined
  return {
    refreshing,
    config: async () => {
      if (!isGiven && (options.awsKeys !== undefined || !process.env[variable])) {
        return {
          authSchemePreference: ['aws.auth#sigv4'],
          ...(options.awsKeys === undefined ? {} : { credentials: options.awsKeys }),
        }
      }
      return { token: { token: await key() }, authSchemePreference: ['httpBearerAuth'] }
    },
  }
}

async function openStream(
  input: ReturnType<typeof bedrockRequest>['input'],
  line: Line,
  auth: Auth,
  options: BedrockOptions,
): Promise<AsyncIterable<ConverseStreamOutput>> {
  const { BedrockRuntimeClient, ConverseStreamCommand } = await loadBedrockSdk()
  const client = new BedrockRuntimeClient({
    ...auth,
    region: regionOf(options),
    ...(options.baseURL === undefined ? {} : { endpoint: options.baseURL }),
    maxAttempts: 1,
    requestHandler: requestHandler(line, options.headers),
  })
  const { stream } = await client.send(new ConverseStreamCommand(input), { abortSignal: line.signal })
  if (stream === undefined) throw new ModelError('network', 'bedrock answered without a stream.')
  return stream
}

function regionOf({ region }: BedrockOptions): string {
  const found = region ?? (process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION'])
  if (found) return found
  throw new ModelError('api', 'bedrock has no region. Set AWS_REGION or pass the option region.')
}

function serverOf(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

/** Loads Amazon's package; a missing one is a `ModelError` that says how to install it. */
export async function readyBedrock(): Promise<void> {
  await loadBedrockSdk()
}

function loadBedrockSdk() {
  return loadSdk('@aws-sdk/client-bedrock-runtime', () => import('@aws-sdk/client-bedrock-runtime'))
}
