/** One of the five folders of `src`. */
export type Folder = 'core' | 'adapters' | 'servers' | 'apps' | 'testing'

/** The folders that each folder of `src` may import; it may also import public entry points if its rooms allow it. */
export const mayImport: Readonly<Record<Folder, readonly Folder[]>> = {
  core: ['core'],
  adapters: ['core', 'adapters'],
  servers: ['core', 'servers'],
  apps: ['core', 'servers', 'apps'],
  testing: ['core', 'adapters', 'testing'],
}

/** Returns the folder of `src` that contains a path. */
export function folderOf(path: string): Folder | undefined {
  const name = /^src\/(\w+)\//.exec(path)?.[1]
  return (Object.keys(mayImport) as Folder[]).find((folder) => folder === name)
}
