import type { BedrockRuntimeClientConfig, ConverseStreamOutput } from '@aws-sdk/client-bedrock-runtime'
import { ModelError } from '../../../core/domain/model-error.ts'
import { checkedElsewhere, optional, type OptionShape, text } from '../../../core/domain/text/option-shape.ts'
import type { CacheStrategy, Model } from '../../../core/ports/model.ts'
import { budgetOf, thinkingPlan, thinksAdaptively } from '../anthropic/thinking.ts'
import type { Line } from '../wire/answer-stream.ts'
import type { KeySource, ModelOptions } from '../wire/model-options.ts'
import { cache, checkModel, modelShape } from '../wire/model-shape.ts'
import { BedrockAnswer } from './answer.ts'
import { loadBedrockSdk } from './load-bedrock-sdk.ts'
import { requestHandler } from './request-handler.ts'
import { bedrockRequest } from './request.ts'
import { accepted } from '../wire/accepted.ts'
import { wireModel } from '../wire/wire-model.ts'

/** Keys of an AWS identity that sign each request. */
export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/**
 * Options of `bedrock`. All are optional. `apiKey` or `credentials` give a bearer token; the default is
 * AWS_BEARER_TOKEN_BEDROCK. Without a token, requests are signed with `awsKeys`, or else with the keys that AWS's own
 * chain of environment, profiles and roles finds.
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
 * Returns a model on Amazon Bedrock's ConverseStream; needs the package `@aws-sdk/client-bedrock-runtime`.
 *
 * @example
 * bedrock('us.anthropic.claude-sonnet-5', { region: 'us-east-1' })
 */
export function bedrock(model: string, options: BedrockOptions = {}): Model {
  checkModel('bedrock', model, options, shape)
  const maxTokens = options.maxTokens ?? answerTokens(model)
  const settings = { provider: 'bedrock', model, maxTokens, thinking: options.thinking, cache: options.cache }
  const budget = budgetOf(thinkingPlan(model, options.thinking))
  return wireModel({
    ...{ provider: 'bedrock', id: model, wire: 'bedrock-converse', options, variable, keySource, mediaType },
    media: () => accepted['bedrock-converse'],
    address: () => options.baseURL ?? serverOf(regionOf(options)),
    facts: maxTokens === undefined ? {} : { maxTokens: maxTokens + budget },
    prepare: (request) => {
      const { input, prefix, leftOut } = bedrockRequest(request, settings)
      return {
        leftOut,
        answer: new BedrockAnswer(model, prefix),
        open: async (line, keys) => await openStream(input, line, await authOf(options, keys), options),
      }
    },
  })
}

const variable = 'AWS_BEARER_TOKEN_BEDROCK'
const keySource = `${variable}, the option apiKey or the option awsKeys`
const mediaType = 'application/vnd.amazon.eventstream'

function answerTokens(model: string): number | undefined {
  if (!model.includes('claude')) return undefined
  return thinksAdaptively(model) ? 32_000 : 8192
}

type Auth = Pick<BedrockRuntimeClientConfig, 'token' | 'authSchemePreference' | 'credentials'>

async function authOf({ apiKey, credentials, awsKeys }: BedrockOptions, keys: KeySource): Promise<Auth> {
  const isSigned =
    apiKey === undefined && credentials === undefined && (awsKeys !== undefined || !process.env[variable])
  if (!isSigned) return { token: { token: await keys.key() }, authSchemePreference: ['httpBearerAuth'] }
  return { authSchemePreference: ['aws.auth#sigv4'], ...(awsKeys === undefined ? {} : { credentials: awsKeys }) }
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
