import { type TestSpecification, type Vitest, createVitest } from 'vitest/node'

/** Test files to run in this order up to the first that fails. */
export interface TestRequest {
  readonly files: readonly string[]
  /**
   * `alone`: a thread of its own for each file. `together`: one thread for all, whose modules are
   * loaded once. `covering`: a process of its own for each, which writes what it enters into the folder given.
   */
  readonly mode: 'alone' | 'together' | 'covering'
  readonly coverage?: string
}

/** The result of a request: the first failure, if any, and the time in milliseconds. */
export interface TestAnswer {
  readonly failure?: TestFailure
  readonly milliseconds: number
}

/** The test file that failed first and the test in it, where it is one test. */
export interface TestFailure {
  readonly file: string
  readonly test: string
  /** True where no test has failed, but the file as a whole, or something outside of it. */
  readonly isNoTest?: true
}

/**
 * The process that runs tests in the folder it stands in. Node itself loads the modules, as it does in programs, so
 * that nothing of one run is kept for the next and offsets in coverage are those of the source.
 */
const root = process.cwd()
const runners = new Map<TestRequest['mode'], Promise<Vitest>>()

process.on('message', (request: TestRequest) => {
  void run(request).then((answer) => process.send?.(answer))
})
process.on('disconnect', () => process.exit())

async function run({ files, mode, coverage }: TestRequest): Promise<TestAnswer> {
  if (coverage === undefined) delete process.env['NODE_V8_COVERAGE']
  else process.env['NODE_V8_COVERAGE'] = coverage
  const vitest = await runnerFor(mode)
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  const start = performance.now()
  const project = vitest.getRootProject()
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    files.map((file) => project.createSpecification(`${root}/${file}`)),
  )
  const milliseconds = Math.round(performance.now() - start)
  const failures = testModules.flatMap((module): readonly TestFailure[] => {
    if (module.state() !== 'failed') return []
    const file = module.moduleId.slice(root.length + 1)
    const [first] = module.children.allTests('failed')
    return [
      first === undefined ? { file, test: 'the file as a whole', isNoTest: true } : { file, test: first.fullName },
    ]
  })
  const isWhole = testModules.length === files.length && unhandledErrors.length === 0
  const outside = isWhole
    ? []
    : [{ file: files.join(', '), test: 'an error outside of tests', isNoTest: true as const }]
  const [failure] = [...failures, ...outside]
  return failure === undefined ? { milliseconds } : { failure, milliseconds }
}

function runnerFor(mode: TestRequest['mode']): Promise<Vitest> {
  const known = runners.get(mode)
  if (known !== undefined) return known
  const started = startRunner(mode)
  runners.set(mode, started)
  return started
}

async function startRunner(mode: TestRequest['mode']): Promise<Vitest> {
  const covers = mode === 'covering'
  const vitest = await createVitest('test', {
    root,
    watch: false,
    bail: 1,
    reporters: [{}],
    pool: covers ? 'forks' : 'threads',
    isolate: mode !== 'together',
    maxWorkers: 1,
    sequence: { sequencer: AsGiven },
    setupFiles: covers ? [`${root}/proof/mutants-source/write-coverage.ts`] : [],
    experimental: { viteModuleRunner: false, nodeLoader: false },
  })
  await vitest.standalone()
  return vitest
}

/** Keeps the order of the request. */
class AsGiven {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files
  }

  shard(files: TestSpecification[]): TestSpecification[] {
    return files
  }
}
