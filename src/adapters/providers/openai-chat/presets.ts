import type { Model } from '../../../core/ports/model.ts'
import { badOption, optional, type OptionShape, text } from '../../../core/domain/text/option-shape.ts'
import { checkModel, modelShape } from '../wire/model-shape.ts'
import { compatShape, type OpenAICompat } from './compat.ts'
import { chatModel, type OpenAIChatOptions } from './chat-model.ts'

/** A server with Chat Completions: its address, the variable of its key and its differences. */
export interface Preset {
  readonly baseURL: string
  readonly variable: string
  /** True for servers on one's own machine, which ask for no key. */
  readonly isKeyless?: boolean
  readonly compat?: Partial<OpenAICompat>
}

/** The names of the servers that the package knows. */
export type PresetName = keyof typeof presets

const content = { reasoningField: 'reasoning_content' } as const
const reasoning = { reasoningField: 'reasoning' } as const

/** The servers that the package knows by name, as their makers described them on 2026-11-22. */
export const presets = {
  xai: hosted('https://api.x.ai/v1', 'XAI_API_KEY', { ...content, reasoningEffort: false }),
  groq: hosted('https://api.groq.com/openai/v1', 'GROQ_API_KEY', {
    ...reasoning,
    maxTokensField: 'max_completion_tokens',
  }),
  cerebras: hosted('https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY', {
    ...reasoning,
    maxTokensField: 'max_completion_tokens',
  }),
  mistral: hosted('https://api.mistral.ai/v1', 'MISTRAL_API_KEY', {
    reasoningEffort: false,
    streamUsage: false,
    shortCallIds: true,
  }),
  deepseek: hosted('https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY', {
    ...content,
    reasoningEffort: false,
    jsonSchema: false,
  }),
  openrouter: hosted('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', reasoning),
  together: hosted('https://api.together.xyz/v1', 'TOGETHER_API_KEY', {}),
  fireworks: hosted('https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY', content),
  moonshot: hosted('https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY', {
    ...content,
    reasoningEffort: false,
    requiredCalls: false,
  }),
  alibaba: hosted('https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'DASHSCOPE_API_KEY', {
    ...content,
    reasoningEffort: false,
    requiredCalls: false,
    jsonSchema: false,
  }),
  ollama: local(11_434, 'OLLAMA_API_KEY', { ...reasoning, indexlessCalls: true, requiredCalls: false }),
  'lm-studio': local(1234, 'LM_STUDIO_API_KEY', {}),
  vllm: local(8000, 'VLLM_API_KEY', {}),
  'llama-cpp': local(8080, 'LLAMA_CPP_API_KEY', { ...content, reasoningEffort: false }),
} satisfies Readonly<Record<string, Preset>>

function hosted(baseURL: string, variable: string, compat: Partial<OpenAICompat>): Preset {
  return { baseURL, variable, compat }
}

function local(port: number, variable: string, compat: Partial<OpenAICompat>): Preset {
  return { baseURL: `http://127.0.0.1:${port}/v1`, variable, isKeyless: true, compat }
}

const shape: OptionShape<Omit<OpenAIChatOptions, 'provider'>> = {
  ...modelShape,
  baseURL: optional(text),
  compat: optional(compatShape),
}

/**
 * Returns a model on a server that the package knows by name. An option overrides its base URL, and so does the
 * environment variable `<NAME>_BASE_URL`, e.g. OLLAMA_BASE_URL or LM_STUDIO_BASE_URL.
 *
 * @example
 * compatible('groq', 'llama-4-maverick')
 */
export function compatible(name: PresetName, model: string, options: Omit<OpenAIChatOptions, 'provider'> = {}): Model {
  const known: Preset | undefined = Object.hasOwn(presets, name) ? presets[name] : undefined
  if (known === undefined) {
    throw badOption({ field: 'name', owner: 'compatible' }, name, `Known: ${Object.keys(presets).join(', ')}.`)
  }
  checkModel(`compatible("${name}", …)`, model, options, shape)
  const { variable, isKeyless = false, compat } = known
  const key = options.apiKey ?? (isKeyless ? process.env[variable] || 'none' : undefined)
  const given = key === undefined ? {} : { apiKey: key }
  return chatModel(
    model,
    { ...options, ...given, provider: name, compat: { ...compat, ...options.compat } },
    { variable, address: () => ({ baseURL: options.baseURL ?? process.env[baseVariable(name)] ?? known.baseURL }) },
  )
}

/** Returns the name of the environment variable that overrides a server's base URL. */
export function baseVariable(name: string): string {
  return `${name.toUpperCase().replaceAll('-', '_')}_BASE_URL`
}
