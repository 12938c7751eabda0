import { rolldown, type Plugin } from 'rolldown'
import { forBrowsers } from '../support/bundle-page.ts'

/** Bundles a worker into one module without imports, except Node's if `hasNode`. */
export async function bundleWorker(
  input: string,
  { hasNode = false, plugins = [] }: { readonly hasNode?: boolean; readonly plugins?: readonly Plugin[] } = {},
): Promise<string> {
  const bundle = await rolldown({
    input,
    plugins: [...plugins, forBrowsers],
    platform: 'browser',
    transform: { target: 'es2024' },
    ...(hasNode ? { external: /^node:/ } : {}),
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, minify: true })
  await bundle.close()
  const [{ code, imports }] = output
  const foreign = imports.filter((name) => !hasNode || !name.startsWith('node:'))
  if (foreign.length > 0) throw new Error(`The worker needs ${foreign.join(', ')}.`)
  return code
}
