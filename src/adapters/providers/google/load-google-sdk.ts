import { loadSdk } from '../wire/load-sdk.ts'

/**
 * Loads the package's build for browsers, which reads no environment, writes nothing to the console, and does not contain
 * the dependencies of its other parts. A missing package is a `ModelError` that says how to install it.
 */
export function loadGoogleSdk() {
  return loadSdk('@google/genai', () => import('@google/genai/web'))
}
