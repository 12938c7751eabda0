import { loadSdk } from './load-sdk.ts'

/** Loads OpenAI's package before it is needed; a missing one is a `ModelError` that says how to install it. */
export async function loadOpenAISdk(): Promise<void> {
  await loadSdk('openai', () => import('openai'))
}
