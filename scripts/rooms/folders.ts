/** One of the five folders of `src`. */
export type Folder = 'core' | 'adapters' | 'servers' | 'apps' | 'testing'

/** The folders that each folder of `src` may import from; it may also import public entry points where its rooms may. */
export const mayImport: Readonly<Record<Folder, readonly Folder[]>> = {
  core: ['core'],
  adapters: ['core', 'adapters'],
  servers: ['core', 'servers'],
  apps: ['core', 'servers', 'apps'],
  testing: ['core', 'adapters', 'testing'],
}

/** The folder of `src` that a path stands in. */
export function folderOf(path: string): Folder | undefined {
  const name = /^src\/(\w+)\//.exec(path)?.[1]
  return (Object.keys(mayImport) as Folder[]).find((folder) => folder === name)
}
