import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { subpaths } from '../docs/snippets.ts'

/**
 * Writes one file for every entry point of the package into a folder, at the compiler's path. Code that several entry
 * points share or load on use goes into `shared/`, so that each class exists once. Packages stay external. Returns the
 * names of the files.
 */
export async function bundleEntries(folder: string): Promise<readonly string[]> {
  const imports = new Map<string, readonly string[]>()
  const bundle = await rolldown({
    input: { ...entryPoints(), ...platformParts() },
    plugins: [byPlatform, { name: 'imports', moduleParsed: (one) => void imports.set(one.id, one.importedIds) }],
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    platform: 'node',
    transform: { target: 'es2024' },
    // No path of a source beside each of its parts: the installed files are smaller by 40 kB.
    experimental: { attachDebugInfo: 'none' },
  })
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
    codeSplitting: { groups: sharedParts(imports) },
    comments: { jsdoc: false },
  })
  await bundle.close()
  return output.map(({ fileName }) => fileName)
}

/** Returns the platform parts: a browser's version of `x.ts` is in `x.browser.ts`; each is a separate file. */
function platformParts(): Readonly<Record<string, string>> {
  const others = globSync('src/**/*.browser.ts')
  const sources = others.flatMap((other) => [other, other.replace('.browser.ts', '.ts')])
  return Object.fromEntries(sources.map((source) => [`platform/${basename(source, '.ts')}`, source]))
}

/** Imports such a part as `#x`, which the package's `imports` map to one version or the other. */
const byPlatform: Plugin = {
  name: 'by-platform',
  resolveId(id, importer) {
    if (importer === undefined || !id.startsWith('.') || !id.endsWith('.ts')) return null
    const other = join(importer, '..', id).replace(/\.ts$/, '.browser.ts')
    return existsSync(other) ? { id: `#${basename(id, '.ts')}`, external: true } : null
  },
}

/** Returns the source by output name without extension. The program of `bin` is an entry point too. */
function entryPoints(): Readonly<Record<string, string>> {
  const sources = [...Object.values(subpaths(readFileSync('package.json', 'utf8'))), 'src/apps/cli/main.ts']
  return Object.fromEntries(sources.map((source) => [source.replace(/\.ts$/, ''), source]))
}

/** The rooms of each shared file: the charts alone need no engine, and neither does a store or a provider. */
const rooms = {
  base: /\/src\/(?!.*\/(?:platform|this-process)(?:\.browser)?\.ts$)core\/(?:domain|ports|stores)\//,
  machines: /\/machines\//,
  engine: /\/src\/(?:core\/(?:prompt|step|runtime|effects|driving|plain|agent)\/|index\.ts$)/,
}

/** Returns the shared files. Each contains only sources that the package's main entry point loads at once. */
function sharedParts(imports: ReadonlyMap<string, readonly string[]>) {
  let atOnce: ReadonlySet<string> | undefined
  const isAtOnce = (id: string) => (atOnce ??= loadedWith(resolve('src/index.ts'), imports)).has(id)
  return Object.entries(rooms).map(([name, room]) => ({ name, test: (id: string) => room.test(id) && isAtOnce(id) }))
}

/** Returns every source that is loaded at once with a source, including the source itself. */
function loadedWith(source: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set([source])
  for (const one of found) for (const other of imports.get(one) ?? []) found.add(other)
  return found
}
