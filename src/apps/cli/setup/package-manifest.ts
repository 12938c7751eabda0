import { readFile } from 'node:fs/promises'

/** Returns the package's own package.json, found from the source and from the build; empty if it is missing. */
export async function packageManifest(): Promise<Readonly<Record<string, unknown>>> {
  for (const path of ['../../../../package.json', '../../package.json']) {
    const text = await readFile(new URL(path, import.meta.url), 'utf8').catch(() => undefined)
    const found: unknown = text === undefined ? undefined : JSON.parse(text)
    if (isManifest(found) && found['name'] === 'statewright') return found
  }
  return {}
}

function isManifest(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
