import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { modelRegistry } from '../../../adapters/providers/registry.ts'
import type { CliIo } from '../terminal/cli-io.ts'
import { packageManifest } from './package-manifest.ts'

/** Returns the environment's settings for models: names of keys, and addresses without credentials. */
export function setVariables({ env }: CliIo): {
  readonly keys: readonly string[]
  readonly servers: Readonly<Record<string, string>>
} {
  const providers = Object.values(modelRegistry({}, env).providers)
  const keys = providers.flatMap(({ keyVariable }) =>
    keyVariable !== undefined && env[keyVariable] ? [keyVariable] : [],
  )
  const servers = providers.flatMap(({ baseVariable }) => {
    const address = baseVariable === undefined ? undefined : env[baseVariable]
    return baseVariable === undefined || !address ? [] : [[baseVariable, withoutSecrets(address)] as const]
  })
  return { keys: [...new Set(keys)], servers: Object.fromEntries(servers) }
}

function withoutSecrets(address: string): string {
  if (!URL.canParse(address)) return 'is not an address'
  const { protocol, host, pathname } = new URL(address)
  return `${protocol}//${host}${pathname}`
}

/** Returns the installed optional packages with their versions. */
export async function foundPackages(): Promise<Readonly<Record<string, string>>> {
  const { peerDependencies } = await packageManifest()
  const names = typeof peerDependencies === 'object' && peerDependencies !== null ? Object.keys(peerDependencies) : []
  const found = await Promise.all(names.map(async (name) => [name, await versionOf(name)] as const))
  return Object.fromEntries(found.flatMap(([name, version]) => (version === undefined ? [] : [[name, version]])))
}

async function versionOf(name: string): Promise<string | undefined> {
  try {
    const path = findPackageJSON(name, import.meta.url)
    const manifest: unknown = path === undefined ? undefined : JSON.parse(await readFile(path, 'utf8'))
    if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return undefined
    return String(manifest.version)
  } catch {
    return undefined
  }
}
