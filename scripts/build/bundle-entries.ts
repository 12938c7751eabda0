import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { subpaths } from '../docs/snippets.ts'

/**
 * Writes one file for every entry point of the package into a folder, where the compiler would put it, and what several
 * of them hold, or load on use, into `shared/`, so that a class is one whichever subpath it comes by. Packages stay
 * outside. Gives the names of the files.
 */
export async function bundleEntries(folder: string): Promise<readonly string[]> {
  const bundle = await rolldown({
    input: { ...entryPoints(), ...platformParts() },
    plugins: [byPlatform],
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    platform: 'node',
    transform: { target: 'es2024' },
  })
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
    codeSplitting: { groups: sharedParts },
    comments: { jsdoc: false },
  })
  await bundle.close()
  return output.map(({ fileName }) => fileName)
}

/** What a browser needs otherwise stands in `x.browser.ts` beside `x.ts`; each is a file of its own. */
function platformParts(): Readonly<Record<string, string>> {
  const others = globSync('src/**/*.browser.ts')
  const sources = others.flatMap((other) => [other, other.replace('.browser.ts', '.ts')])
  return Object.fromEntries(sources.map((source) => [`platform/${basename(source, '.ts')}`, source]))
}

/** Whoever imports such a part does so as `#x`, which the `imports` of the package lead to one or the other. */
const byPlatform: Plugin = {
  name: 'by-platform',
  resolveId(id, importer) {
    if (importer === undefined || !id.startsWith('.') || !id.endsWith('.ts')) return null
    const other = join(importer, '..', id).replace(/\.ts$/, '.browser.ts')
    return existsSync(other) ? { id: `#${basename(id, '.ts')}`, external: true } : null
  },
}

/** By name of the output, without its ending: the source. The program behind `bin` is an entry point too. */
function entryPoints(): Readonly<Record<string, string>> {
  const sources = [...Object.values(subpaths(readFileSync('package.json', 'utf8'))), 'src/apps/cli/main.ts']
  return Object.fromEntries(sources.map((source) => [source.replace(/\.ts$/, ''), source]))
}

/** The bundler's name for what an entry point imports, and does not load on use. */
const atOnce: ['$initial'] = ['$initial']

/** The charts alone need no engine, and a store or a provider neither: three files, whoever shares them. Each holds what is loaded at once. */
const sharedParts = [
  {
    name: 'base',
    tags: atOnce,
    test: /\/src\/(?!.*\/(?:platform|this-process)(?:\.browser)?\.ts$)core\/(?:domain|ports|stores)\//,
  },
  { name: 'machines', tags: atOnce, test: /\/machines\// },
  {
    name: 'engine',
    tags: atOnce,
    test: /\/src\/(?:core\/(?:prompt|step|runtime|effects|driving|plain|agent)\/|index\.ts$)/,
  },
]
