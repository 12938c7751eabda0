import { loadSdk } from './load-sdk.ts'

/** Loads Anthropic's package before it is needed; a missing one is a `ModelError` that says how to install it. */
export async function loadAnthropicSdk(): Promise<void> {
  await loadSdk('@anthropic-ai/sdk', () => import('@anthropic-ai/sdk'))
}
