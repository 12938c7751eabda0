import { loadSdk } from '../wire/load-sdk.ts'

/** Loads OpenAI's package; a missing one is a `ModelError` that says how to install it. */
export function loadOpenAISdk() {
  return loadSdk('openai', () => import('openai'))
}
