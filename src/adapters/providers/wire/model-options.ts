import { ModelError } from '../../../core/domain/model-error.ts'
import type {
  CacheMarks,
  CacheStrategy,
  Model,
  ModelRequest,
  Prices,
  RequestOption,
  ThinkingLevel,
} from '../../../core/ports/model.ts'
import type { Limiter } from '../limiter.ts'

/** Returns a key or a token for each call; `refresh` is true if the last one was rejected. */
export type Credentials = (refresh: boolean) => string | Promise<string>

/** The options of every provider. All are optional. */
export interface ModelOptions {
  readonly apiKey?: string
  /** Replaces `apiKey`, for tokens that expire. */
  readonly credentials?: Credentials
  /** Tokens of an answer. Default: left to the model. */
  readonly maxTokens?: number
  /** Default: left to the model. `off` is the least thinking the model allows. */
  readonly thinking?: ThinkingLevel
  /** Tokens of prompt and answer together, for a model whose window is not known. */
  readonly contextWindow?: number
  /** The prices of a model that the package does not know. */
  readonly prices?: Prices
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds without a byte after which a call fails. Default 120000. */
  readonly idleTimeoutMs?: number
  /** Shared by the models of a provider, it says when a call may begin. */
  readonly limiter?: Limiter
  readonly fetch?: typeof globalThis.fetch
  /** Unix milliseconds for timestamps and Retry-After dates. Default `Date.now`. */
  readonly now?: () => number
}

/** The settings that a model's options give each request. */
export interface ModelSettings {
  readonly provider: string
  readonly model: string
  /** Tokens of the answer, without a thinking budget. */
  readonly maxTokens: number | undefined
  readonly thinking: ThinkingLevel | undefined
  readonly cache?: CacheStrategy | undefined
  /** True if the provider summarizes conversations itself. */
  readonly compacts?: boolean | undefined
}

/** Returns the marks of a strategy: all for `auto`, or those that an object names. */
export function cacheMarks(cache: CacheStrategy): CacheMarks {
  if (cache === 'auto') return { system: true, tools: true, messages: true }
  const none = { system: false, tools: false, messages: false }
  return cache === 'disabled' ? none : { ...none, ...cache }
}

/**
 * Returns the options of a request that the wire does not support. `missing` is true for each unsupported option. A
 * cache that the wire manages itself is not one of them.
 */
export function askedFor(
  request: ModelRequest,
  missing: { readonly [Option in RequestOption]?: boolean },
): readonly RequestOption[] {
  const options = Object.keys(missing) as RequestOption[]
  const isAsked = (option: RequestOption) => request[option] !== undefined && missing[option] === true
  return options.filter((option) => isAsked(option) && (option !== 'cache' || request.cache !== 'auto'))
}

/** The source of a model's key, which is read for each call. */
export interface KeySource {
  readonly key: () => Promise<string>
  /** The refresh of a model's credentials, if there is one. */
  readonly refreshing: Pick<Model, 'refreshCredentials'>
}

/** Returns the source of a model's key: the options, or else the environment variable. */
export function keySourceOf(
  provider: string,
  { apiKey, credentials }: Pick<ModelOptions, 'apiKey' | 'credentials'>,
  variable: string,
): KeySource {
  if (credentials === undefined) {
    return { key: async () => usableKey(provider, apiKey ?? process.env[variable], variable), refreshing: {} }
  }
  let fresh: string | undefined
  const take = async (refresh: boolean) => usableKey(provider, await credentials(refresh), variable)
  return {
    key: async () => {
      const key = fresh ?? (await take(false))
      fresh = undefined
      return key
    },
    refreshing: {
      refreshCredentials: async () => {
        fresh = await take(true)
      },
    },
  }
}

function usableKey(provider: string, key: string | undefined, variable: string): string {
  if (key === undefined || key === '') {
    throw new ModelError('auth', `${provider} has no API key. Set ${variable} or pass the option apiKey.`)
  }
  if (/^[\u0020-\u007e]+$/.test(key)) return key
  throw new ModelError(
    'auth',
    `The API key of ${provider} has a line break or another character that headers do not allow. Check ${variable} or the option apiKey.`,
  )
}
