import type { Model } from '../../ports/model.ts'

/** Returns the name of a model for plugins. */
export function nameOfModel({ provider, id }: Model): string {
  return `${provider}/${id}`
}

/**
 * Returns the models of a call in the order of the attempts: the model that a plugin has chosen, then the others in the
 * configured order. A chosen model that the current code lacks changes nothing.
 */
export function modelsFrom(models: readonly Model[], first: string | undefined): readonly Model[] {
  const chosen = first === undefined ? undefined : models.find((model) => nameOfModel(model) === first)
  return chosen === undefined ? models : [chosen, ...models.filter((model) => model !== chosen)]
}

/** Returns the model at a position in that order; throws if there is none. */
export function modelAt(models: readonly Model[], index: number): Model {
  const model = models[index]
  if (model === undefined) throw new Error(`No model ${index} is configured.`)
  return model
}
