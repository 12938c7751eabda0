import { ModelError } from '../../core/domain/model-error.ts'
import { badOption } from '../../core/domain/text/option-shape.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import type { Model } from '../../core/ports/model.ts'
import { anthropic } from './anthropic/anthropic.ts'
import { loadAnthropicSdk } from './anthropic/load-anthropic-sdk.ts'
import { azure } from './openai-responses/azure.ts'
import { bedrock } from './bedrock/bedrock.ts'
import { loadBedrockSdk } from './bedrock/load-bedrock-sdk.ts'
import { loadGoogleSdk } from './google/load-google-sdk.ts'
import { google } from './google/google.ts'
import { vertex } from './google/vertex.ts'
import { compatFor } from './openai-chat/compat.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { baseVariable, compatible, type Preset, type PresetName, presets } from './openai-chat/presets.ts'
import { loadOpenAISdk } from './openai-client.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'
import type { ModelOptions } from './wire/model-options.ts'

export type { Credentials, ModelOptions } from './wire/model-options.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The options of a provider's models, from the caller and from the environment. */
export interface MakeOptions extends ModelOptions {
  readonly baseURL?: string
}

/** One provider of a registry. */
export interface ProviderEntry {
  /** Makes the model of a name; `env` holds what else the provider needs, such as a region. */
  readonly make: (model: string, options: MakeOptions, env: Environment) => Model
  /** The environment variable of the key; without one no key is looked for. */
  readonly keyVariable?: string
  /** The environment variable of the base URL. */
  readonly baseVariable?: string
  /** The model meant by the provider's name alone. */
  readonly defaultModel?: string
  /** Loads the package the provider needs. */
  readonly load?: () => Promise<unknown>
}

/** Models by `<provider>/<model>`. */
export interface Registry {
  readonly providers: Readonly<Record<string, ProviderEntry>>
  /** Returns the model of a specification; a provider alone means its default model. Throws for an unknown one. */
  model(spec: string, options?: ModelOptions): Model
}

/**
 * Creates a registry of all built-in providers and your own. Your provider replaces a built-in one with the same name.
 *
 * @example
 * modelRegistry({ acme: { make: (model, options) => acmeModel(model, options) } }).model('acme/one')
 */
export function modelRegistry(
  own: Readonly<Record<string, ProviderEntry>> = {},
  env: Environment = process.env,
): Registry {
  const providers = { ...builtIn, ...own }
  return {
    providers,
    model(spec, options = {}) {
      if (typeof spec !== 'string')
        throw badOption({ field: 'spec', owner: 'registry.model' }, spec, 'Expected a text.')
      const [name = '', ...rest] = spec.split('/')
      const entry = Object.hasOwn(providers, name) ? providers[name] : undefined
      if (entry === undefined) throw unknownModel(spec, Object.keys(providers))
      const model = rest.join('/') || entry.defaultModel
      if (model === undefined)
        throw new UsageError('bad_option', `The provider "${name}" has no default model. Expected ${name}/<model>.`)
      return entry.make(model, { ...given(entry, options, env), ...options }, env)
    },
  }
}

function unknownModel(spec: string, known: readonly string[]): UsageError {
  return new UsageError(
    'bad_option',
    `The model "${spec}" is not known. Expected <provider>/<model> of: ${known.join(', ')}.`,
  )
}

/** Returns the options from the environment: the key, if it is needed and missing, and the base URL. */
function given(entry: ProviderEntry, options: ModelOptions, env: Environment): MakeOptions {
  const baseURL = entry.baseVariable === undefined ? undefined : env[entry.baseVariable]
  const base = baseURL ? { baseURL } : {}
  const { keyVariable } = entry
  if (keyVariable === undefined || options.apiKey !== undefined || options.credentials !== undefined) return base
  const apiKey = env[keyVariable]
  if (apiKey) return { apiKey, ...base }
  throw new ModelError('auth', `${keyVariable} is not set. Set it, or use --model scripted, which needs no key.`)
}

const builtIn: Readonly<Record<string, ProviderEntry>> = {
  anthropic: keyed(anthropic, 'ANTHROPIC', 'claude-sonnet-5-5', loadAnthropicSdk),
  openai: keyed(openaiModel, 'OPENAI', 'gpt-6.1-sol', loadOpenAISdk),
  'openai-chat': keyed(openaiChat, 'OPENAI', 'gpt-6-luna', loadOpenAISdk),
  'openai-responses': keyed(openaiResponses, 'OPENAI', 'gpt-6.1-sol', loadOpenAISdk),
  google: keyed(google, 'GEMINI', 'gemini-3.8-flash', loadGoogleSdk),
  vertex: {
    make: (model, options, { GOOGLE_CLOUD_PROJECT: project, GOOGLE_CLOUD_LOCATION: location }) =>
      vertex(model, { ...options, ...(project ? { project } : {}), ...(location ? { location } : {}) }),
    keyVariable: 'VERTEX_ACCESS_TOKEN',
    baseVariable: 'VERTEX_BASE_URL',
    defaultModel: 'gemini-3.8-flash',
    load: loadGoogleSdk,
  },
  bedrock: {
    make: (model, options, { AWS_BEARER_TOKEN_BEDROCK: apiKey, AWS_REGION, AWS_DEFAULT_REGION }) => {
      const region = AWS_REGION || AWS_DEFAULT_REGION
      return bedrock(model, { ...(apiKey ? { apiKey } : {}), ...options, ...(region ? { region } : {}) })
    },
    baseVariable: 'BEDROCK_BASE_URL',
    defaultModel: 'us.anthropic.claude-sonnet-5',
    load: loadBedrockSdk,
  },
  azure: {
    make: (model, options, { AZURE_OPENAI_ENDPOINT: endpoint, OPENAI_API_VERSION: apiVersion }) =>
      azure(model, { ...options, ...(endpoint ? { endpoint } : {}), ...(apiVersion ? { apiVersion } : {}) }),
    keyVariable: 'AZURE_OPENAI_API_KEY',
    load: loadOpenAISdk,
  },
  ...Object.fromEntries(Object.entries(presets).map(([name, known]) => [name, presetEntry(name, known)])),
}

function keyed(
  make: (model: string, options: MakeOptions) => Model,
  prefix: string,
  defaultModel: string,
  load: () => Promise<unknown>,
): ProviderEntry {
  return { make, keyVariable: `${prefix}_API_KEY`, baseVariable: `${prefix}_BASE_URL`, defaultModel, load }
}

/** The newest models call tools only on the Responses wire; servers other than OpenAI's speak Chat Completions. */
function openaiModel(model: string, options: MakeOptions): Model {
  const isOwn = options.baseURL === undefined || compatFor(options.baseURL).ownModels
  return isOwn ? openaiResponses(model, options) : openaiChat(model, options)
}

function presetEntry(name: string, { variable, isKeyless = false }: Preset): ProviderEntry {
  return {
    make: (model, options) => (isPreset(name) ? compatible(name, model, options) : openaiChat(model, options)),
    ...(isKeyless ? {} : { keyVariable: variable }),
    baseVariable: baseVariable(name),
    load: loadOpenAISdk,
  }
}

function isPreset(name: string): name is PresetName {
  return Object.hasOwn(presets, name)
}
