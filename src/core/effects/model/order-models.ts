import type { Model } from '../../ports/model.ts'

/** Returns the name of a model for plugins. */
export function nameOfModel({ provider, id }: Model): string {
  return `${provider}/${id}`
}

/**
 * The models of a call in the order they are asked: the one a plugin has chosen, then the others as they are configured.
 * One that current code has no more leaves their order as it is.
 */
export function modelsFrom(models: readonly Model[], first: string | undefined): readonly Model[] {
  const chosen = first === undefined ? undefined : models.find((model) => nameOfModel(model) === first)
  return chosen === undefined ? models : [chosen, ...models.filter((model) => model !== chosen)]
}

/** Returns the model at a place of that order; throws for a place without one. */
export function modelAt(models: readonly Model[], index: number): Model {
  const model = models[index]
  if (model === undefined) throw new Error(`No model ${index} is configured.`)
  return model
}
