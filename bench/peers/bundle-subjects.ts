import { join } from 'node:path'
import { rolldown } from 'rolldown'

const folder = import.meta.dirname

/** Makes a module of each subject that a fresh process loads as an application would: as JavaScript, packages left outside. */
export async function bundleSubjects(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const bundle = await rolldown({ input: join(folder, `subjects/${name}.ts`), external: /^[^./]/ })
    await bundle.write({ file: bundledSubject(name), format: 'esm' })
    await bundle.close()
  }
}

/** Where the module of a subject stands: beside the packages it imports. */
export function bundledSubject(name: string): string {
  return join(folder, `node_modules/.subjects/${name}.js`)
}
