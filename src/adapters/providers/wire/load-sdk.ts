import { ModelError } from '../../../core/domain/model-error.ts'

/** Loads an optional package on first use. Throws a `ModelError` with the install command if it is missing. */
export async function loadSdk<T>(packageName: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw new ModelError(
      'api',
      `The package ${packageName} could not be loaded. It is an optional peer dependency: npm install ${packageName}`,
      { cause },
    )
  }
}
