import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { rolldown } from 'rolldown'
import { subpaths } from '../docs/snippets.ts'

/**
 * Writes one file for every entry point of the package into a folder, where the compiler would put it, and what several
 * of them hold into `shared/`, so that a class is one whichever subpath it comes by. Packages stay outside. Gives the
 * names of the files.
 */
export async function bundleEntries(folder: string): Promise<readonly string[]> {
  const bundle = await rolldown({
    input: entryPoints(),
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

/** By name of the output, without its ending: the source. The program behind `bin` is an entry point too. */
function entryPoints(): Readonly<Record<string, string>> {
  const sources = [...Object.values(subpaths(readFileSync('package.json', 'utf8'))), 'src/cli/main.ts']
  return Object.fromEntries(sources.map((source) => [source.replace(/\.ts$/, ''), source]))
}

/** The charts alone need no engine, and a store or a provider neither: three files, whoever shares them. */
const sharedParts = [
  { name: 'base', test: /\/src\/(?:domain|ports|stores\/rows|stores\/memory)\// },
  { name: 'machines', test: /\/machines\// },
  { name: 'engine', test: /\/src\/(?:(?:prompt|runtime|effects|agent)\/|index\.ts$)/ },
]
