import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

/** Takes `x.browser.ts` where there is one beside `x.ts`. */
export const forBrowsers: Plugin = {
  name: 'for-browsers',
  resolveId(id, importer) {
    if (importer === undefined || !id.startsWith('.') || !id.endsWith('.ts')) return null
    const other = join(importer, '..', id).replace(/\.ts$/, '.browser.ts')
    return existsSync(other) ? other : null
  },
}

/** The page of the studio as a browser loads it: one script without imports, and its style. */
export async function bundlePage(): Promise<{ readonly script: string; readonly style: string }> {
  const bundle = await rolldown({
    input: 'src/apps/studio/main.ts',
    plugins: [forBrowsers],
    platform: 'browser',
    transform: { target: 'es2023' },
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, minify: true })
  await bundle.close()
  const [{ code, imports }] = output
  if (imports.length > 0) throw new Error(`The page of the studio needs ${imports.join(', ')}.`)
  return { script: code, style: squeezed(readFileSync('src/apps/studio/studio.css', 'utf8')) }
}

/** A style without comments and without the blanks that mean nothing. */
function squeezed(style: string): string {
  return style
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .replaceAll(': ', ':')
    .replaceAll(';}', '}')
    .replaceAll(/([ :(,-])0\./g, '$1.')
    .trim()
}
