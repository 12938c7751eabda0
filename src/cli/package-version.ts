import { readFile } from 'node:fs/promises'

/** The version in the package's own package.json, found from the source as from the build. */
export async function packageVersion(): Promise<string> {
  for (const path of ['../../package.json', '../../../package.json']) {
    const text = await readFile(new URL(path, import.meta.url), 'utf8').catch(() => undefined)
    const found: unknown = text === undefined ? undefined : JSON.parse(text)
    if (isManifest(found) && found.name === 'statewright') return found.version
  }
  return 'unknown'
}

function isManifest(value: unknown): value is { name: string; version: string } {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('version' in value)) return false
  return typeof value.name === 'string' && typeof value.version === 'string'
}
