import { loadSdk } from '../wire/load-sdk.ts'

/** Loads Amazon's package. Throws a `ModelError` with the install command if it is missing. */
export function loadBedrockSdk() {
  return loadSdk('@aws-sdk/client-bedrock-runtime', () => import('@aws-sdk/client-bedrock-runtime'))
}
