import { createHash } from 'node:crypto'
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TreeCopy } from './copy-tree.ts'
import { type Entered, isEntered, readCoverage } from './read-coverage.ts'
import { TestProcess } from './test-process.ts'

/** What one test file enters and how long it takes unmutated; `passed` is false where it fails by itself. */
interface TestCoverage {
  readonly hash: string
  /** When it was run for this, in Unix milliseconds. */
  readonly at?: number
  readonly passed: boolean
  readonly milliseconds: number
  readonly sources: Readonly<Record<string, { readonly hash: string; readonly entered: Entered }>>
  /** Source files there were that it did not load. */
  readonly others?: readonly string[]
}

type Cache = Readonly<Record<string, TestCoverage>>

/** A test file that covers a place. */
export interface CoveringTest {
  readonly file: string
  readonly milliseconds: number
  /** Source files it loads: the fewer, the nearer. */
  readonly breadth: number
  /** When it was first run as it is, in Unix milliseconds; 0 where that is not known. */
  readonly at: number
}

/** A test file without an end after this many milliseconds covers nothing. */
const bound = 300_000

/** Which test files enter which places, collected once and kept outside version control. */
export class CoverageCache {
  readonly #path: string
  readonly #copy: TreeCopy
  #cache: Cache
  /** Hashes of the sources as they are before anything is changed: nobody asks while a mutant is in place. */
  readonly #hashes = new Map<string, string>()

  constructor(path: string, copy: TreeCopy) {
    this.#path = path
    this.#copy = copy
    this.#cache = readCache(path)
  }

  /** Runs the test files that are new or changed since, and forgets those that are gone. */
  async collect(sources: readonly string[], done: (file: string, left: number) => void): Promise<void> {
    const { root } = this.#copy
    const files = globSync(['test/**/*.test.ts', 'scripts/**/*.test.ts'], { cwd: root }).toSorted()
    const kept = Object.entries(this.#cache).filter(([file]) => files.includes(file))
    this.#cache = Object.fromEntries(kept)
    const missing = files.filter((file) => this.#cache[file]?.hash !== hashOf(join(root, file)))
    const process = new TestProcess(this.#copy)
    for (const [index, file] of missing.entries()) {
      this.#cache = { ...this.#cache, [file]: await collectOne(process, this.#copy, file, sources) }
      this.#save()
      done(file, missing.length - index - 1)
    }
    process.stop()
  }

  /** Test files that fail without any change. */
  failing(): readonly string[] {
    return Object.entries(this.#cache).flatMap(([file, { passed }]) => (passed ? [] : [file]))
  }

  /**
   * Test files that enter a place. Of a source changed since, every file that loads it: offsets have moved. Of one that is
   * new since, every file that loads one that was changed: it may load this one now.
   */
  covering(source: string, offset: number): readonly CoveringTest[] {
    return Object.entries(this.#cache).flatMap(([file, test]) => {
      if (!test.passed || !this.#mayEnter(test, source, offset)) return []
      const { milliseconds, sources, at = 0 } = test
      return [{ file, milliseconds, breadth: Object.keys(sources).length, at }]
    })
  }

  #mayEnter({ sources, others }: TestCoverage, source: string, offset: number): boolean {
    const own = sources[source]
    if (own !== undefined) return this.#hasChanged(source, own.hash) || isEntered(own.entered, offset)
    if (others === undefined || others.includes(source)) return false
    return Object.entries(sources).some(([path, { hash }]) => this.#hasChanged(path, hash))
  }

  #hasChanged(source: string, hash: string): boolean {
    const known = this.#hashes.get(source)
    const path = join(this.#copy.root, source)
    const now = known ?? (existsSync(path) ? hashOf(path) : '')
    this.#hashes.set(source, now)
    return now !== hash
  }

  #save(): void {
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(this.#path, JSON.stringify(this.#cache))
  }
}

function readCache(path: string): Cache {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Cache
  } catch {
    return {}
  }
}

async function collectOne(
  process: TestProcess,
  { root, temporary }: TreeCopy,
  file: string,
  sources: readonly string[],
): Promise<TestCoverage> {
  // One for each file: a process that outlives its test may write to its folder once more.
  const folder = mkdtempSync(join(temporary, 'entered-'))
  // Processes of tests that give up their rights tell what they enter, too.
  chmodSync(folder, 0o777)
  const outcome = await process.run({ files: [file], mode: 'covering', coverage: folder }, bound)
  const entered = readCoverage(folder, root, sources)
  rmSync(folder, { recursive: true, maxRetries: 5 })
  return {
    hash: hashOf(join(root, file)),
    at: Date.now(),
    passed: 'milliseconds' in outcome && outcome.failure === undefined,
    milliseconds: 'milliseconds' in outcome ? outcome.milliseconds : bound,
    sources: Object.fromEntries(
      [...entered].map(([path, stretches]) => [path, { hash: hashOf(join(root, path)), entered: stretches }]),
    ),
    others: sources.filter((path) => !entered.has(path)),
  }
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('base64url').slice(0, 16)
}
