import { UsageError } from './text/usage-error.ts'

/**
 * Loads an optional package on first use. If it cannot be loaded, throws the error that `fail` returns for a text with
 * the install command: by default a `UsageError` `package_missing`.
 */
export async function loadPackage<Loaded>(
  name: string,
  load: () => Promise<Loaded>,
  fail = (text: string, options: ErrorOptions): Error => new UsageError('package_missing', text, options),
): Promise<Loaded> {
  try {
    return await load()
  } catch (cause) {
    const wish = `It is an optional peer dependency: npm install ${name}`
    throw fail(`The package ${name} could not be loaded. ${wish}`, { cause })
  }
}
