import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { API, type Snapshot } from 'typescript/unstable/sync'

/** The sources of the package, without what tests them. */
const project = 'tsconfig.build.json'

/** One resident compiler over a folder, which is asked about one changed file at a time; nothing is written. */
export class TypeCheck {
  readonly #root: string
  readonly #api: API
  readonly #importers: ReadonlyMap<string, readonly string[]>
  readonly #changed = new Map<string, string>()
  #snapshot: Snapshot

  constructor(root: string) {
    this.#root = root
    this.#importers = readImporters(root)
    this.#api = new API({ cwd: root, fs: { readFile: (path) => this.#changed.get(path) } })
    this.#snapshot = this.#api.updateSnapshot({ openProjects: [join(root, project)] })
  }

  /** Whether a file compiles with another text, and the files that import it do. */
  compiles(file: string, text: string): boolean {
    const path = join(this.#root, file)
    this.#changed.set(path, text)
    this.#update(path)
    const faults = [file, ...(this.#importers.get(file) ?? [])].some((one) => this.#hasFaults(join(this.#root, one)))
    this.#changed.delete(path)
    this.#update(path)
    return !faults
  }

  /** Ends the compiler's process. */
  close(): void {
    this.#api.close()
  }

  #update(path: string): void {
    const before = this.#snapshot
    this.#snapshot = this.#api.updateSnapshot({ fileChanges: { changed: [path] } })
    before.dispose()
  }

  #hasFaults(path: string): boolean {
    const program = this.#snapshot.getProject(join(this.#root, project))?.program
    if (program === undefined) throw new Error(`The compiler does not know ${project}.`)
    return program.getSyntacticDiagnostics(path).length + program.getSemanticDiagnostics(path).length > 0
  }
}

/** Which files import a file by name, by path below the root. */
function readImporters(root: string): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>()
  for (const file of globSync('{src,machines}/**/*.ts', { cwd: root })) {
    for (const [, specifier = ''] of readFileSync(join(root, file), 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const imported = normalize(join(dirname(file), specifier))
      importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  }
  return importers
}
