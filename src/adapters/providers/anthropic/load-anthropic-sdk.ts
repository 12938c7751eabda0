import { loadSdk } from '../wire/load-sdk.ts'

/** Loads Anthropic's package; a missing one is a `ModelError` that says how to install it. */
export function loadAnthropicSdk() {
  return loadSdk('@anthropic-ai/sdk', () => import('@anthropic-ai/sdk'))
}
