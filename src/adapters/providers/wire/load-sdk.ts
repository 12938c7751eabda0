import { loadPackage } from '../../../core/domain/load-package.ts'
import { ModelError } from '../../../core/domain/model-error.ts'

/** Loads an optional package on first use. Throws a `ModelError` with the install command if it is missing. */
export function loadSdk<T>(packageName: string, load: () => Promise<T>): Promise<T> {
  return loadPackage(packageName, load, (text, options) => new ModelError('api', text, options))
}
