import { isRecord } from '../../core/domain/text/json.ts'
import { textOf } from '../../core/domain/message.ts'
import { ModelError } from '../../core/domain/model-error.ts'
import { expecting } from '../../core/domain/text/option-shape.ts'
import type { Model, ModelRequest } from '../../core/ports/model.ts'
import { type Environment, modelRegistry } from './registry.ts'
import { scripted } from './scripted.ts'

/**
 * Returns the model that a specification names: `<provider>/<model>` of the registry, or `scripted`. A provider alone
 * means its default model. Without a specification, returns the default model of the registry's first provider whose
 * key is set.
 */
export function modelFromEnvironment(spec: string | undefined, env: Environment): Model {
  checkEnvironment(env, { field: 'env', owner: 'modelFromEnvironment' })
  return modelRegistry(own, env).model(spec ?? providerWithKey(env))
}

const checkEnvironment = expecting('variables by their names, such as process.env', isRecord)

/** A model for a first contact without a key. */
const own = { scripted: { make: () => scripted(echo), defaultModel: 'scripted' } }

/**
 * Works as `modelFromEnvironment`, and loads the model's package, so that a missing package is noticed before a run
 * starts.
 */
export async function readyModelFromEnvironment(spec: string | undefined, env: Environment): Promise<Model> {
  const model = modelFromEnvironment(spec, env)
  const { providers } = modelRegistry({}, env)
  if (Object.hasOwn(providers, model.provider)) await providers[model.provider]?.load?.()
  return model
}

function providerWithKey(env: Environment): string {
  const { providers } = modelRegistry({}, env)
  const found = Object.entries(providers).find(
    ([, { keyVariable, defaultModel }]) => defaultModel !== undefined && keyVariable !== undefined && env[keyVariable],
  )
  if (found !== undefined) return found[0]
  throw new ModelError(
    'auth',
    'No model is configured. Set ANTHROPIC_API_KEY or OPENAI_API_KEY or the key of another provider, or use --model scripted, which needs no key.',
  )
}

function echo({ messages }: ModelRequest): string {
  const last = messages.findLast(({ role }) => role === 'user')
  const text = last === undefined ? 'nothing' : `"${textOf(last)}"`
  return `You said ${text}. This is the scripted model: it needs no key and knows no other answer.`
}
