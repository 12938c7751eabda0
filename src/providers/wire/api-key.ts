import { ModelError } from '../../domain/model-error.ts'

/** The key given as option, else the one in the environment variable, read anew for each call. */
export function apiKeyFor(provider: string, given: string | undefined, variable: string): string {
  const key = given ?? process.env[variable]
  if (key !== undefined && key !== '') return key
  throw new ModelError('auth', `${provider} has no API key. Set ${variable} or pass the option apiKey.`)
}
