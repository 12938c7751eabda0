import { loadSdk } from '../wire/load-sdk.ts'

/** Loads Anthropic's package. Throws a `ModelError` with the install command if it is missing. */
export function loadAnthropicSdk() {
  return loadSdk('@anthropic-ai/sdk', () => import('@anthropic-ai/sdk'))
}
