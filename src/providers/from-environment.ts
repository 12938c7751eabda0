import { textOf } from '../domain/message.ts'
import { ModelError } from '../domain/model-error.ts'
import type { Model, ModelRequest } from '../ports/model.ts'
import { anthropic, loadAnthropicSdk } from './anthropic/anthropic.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { loadOpenAISdk } from './openai-client.ts'
import { scripted } from './scripted.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The model a specification names: `anthropic/<model>`, `openai/<model>` or `scripted`; a provider alone means
 * its default model. Without one, the model of whichever key is set, Anthropic's first.
 */
export function modelFromEnvironment(spec: string | undefined, env: Environment): Model {
  const [provider, ...rest] = (spec ?? providerWithKey(env)).split('/')
  const name = rest.join('/')
  if (provider === 'anthropic') return anthropicModel(name, env)
  if (provider === 'openai') return openaiModel(name, env)
  if (provider === 'scripted') return scripted(echo)
  throw new TypeError(`The model "${spec}" is not known. Expected anthropic/<model>, openai/<model> or scripted.`)
}

/** The same once the package the model needs is loaded: what is missing is found before anything is started. */
export async function readyModelFromEnvironment(spec: string | undefined, env: Environment): Promise<Model> {
  const model = modelFromEnvironment(spec, env)
  if (model.provider === 'anthropic') await loadAnthropicSdk()
  if (model.provider === 'openai') await loadOpenAISdk()
  return model
}

function providerWithKey(env: Environment): string {
  if (env['ANTHROPIC_API_KEY']) return 'anthropic'
  if (env['OPENAI_API_KEY']) return 'openai'
  throw new ModelError(
    'auth',
    'No model is configured. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or use --model scripted, which needs no key.',
  )
}

function anthropicModel(name: string, env: Environment): Model {
  const apiKey = keyIn(env, 'ANTHROPIC_API_KEY')
  const baseURL = env['ANTHROPIC_BASE_URL']
  return anthropic(name || 'claude-sonnet-5-5', { apiKey, ...(baseURL ? { baseURL } : {}) })
}

function openaiModel(name: string, env: Environment): Model {
  const apiKey = keyIn(env, 'OPENAI_API_KEY')
  const baseURL = env['OPENAI_BASE_URL']
  return openaiChat(name || 'gpt-6.1-sol', { apiKey, ...(baseURL ? { baseURL } : {}) })
}

function keyIn(env: Environment, variable: string): string {
  const key = env[variable]
  if (key) return key
  throw new ModelError('auth', `${variable} is not set. Set it, or use --model scripted, which needs no key.`)
}

function echo({ messages }: ModelRequest): string {
  const last = messages.findLast(({ role }) => role === 'user')
  const text = last === undefined ? 'nothing' : `"${textOf(last)}"`
  return `You said ${text}. This is the scripted model: it needs no key and knows no other answer.`
}
