import { loadSdk } from '../wire/load-sdk.ts'

/**
 * Loads the package's build for browsers, which does not read the environment, write to the console, or contain the
 * dependencies of its other parts. Throws a `ModelError` with the install command if it is missing.
 */
export function loadGoogleSdk() {
  return loadSdk('@google/genai', () => import('@google/genai/web'))
}
