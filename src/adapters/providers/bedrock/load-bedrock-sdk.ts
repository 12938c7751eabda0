import { loadSdk } from '../wire/load-sdk.ts'

/** Loads Amazon's package; a missing one is a `ModelError` that says how to install it. */
export function loadBedrockSdk() {
  return loadSdk('@aws-sdk/client-bedrock-runtime', () => import('@aws-sdk/client-bedrock-runtime'))
}
