import { type ChildProcess, fork } from 'node:child_process'
import { delimiter, join } from 'node:path'
import type { TreeCopy } from './copy-tree.ts'
import type { TestAnswer, TestRequest } from './test-host.ts'

/** The result of a test file, or the reason for no answer. */
export type TestOutcome = TestAnswer | { readonly lost: string }

/** The process that runs a copy's tests, started on first use and again after it had to be killed. */
export class TestProcess {
  readonly #copy: TreeCopy
  #child: ChildProcess | undefined

  constructor(copy: TreeCopy) {
    this.#copy = copy
  }

  /** Runs one test file; without an answer within the bound (milliseconds) the process is killed with all it started. */
  run(request: TestRequest, bound: number): Promise<TestOutcome> {
    const child = (this.#child ??= startHost(this.#copy))
    return new Promise((resolve) => {
      const settle = (outcome: TestOutcome) => {
        clearTimeout(timer)
        child.off('message', told).off('exit', left)
        if ('lost' in outcome) this.stop()
        resolve(outcome)
      }
      const told = (answer: unknown) => settle(answer as TestAnswer)
      const left = () => settle({ lost: 'the process ended' })
      const timer = setTimeout(() => settle({ lost: `no end within ${Math.round(bound / 1000)} s` }), bound)
      child.on('message', told).on('exit', left)
      child.send(request)
    })
  }

  /** Kills the process and what it started. */
  stop(): void {
    const pid = this.#child?.pid
    this.#child = undefined
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // The whole group has ended before.
    }
  }
}

/** A group of its own, so that one signal ends it with the processes its tests started. */
function startHost({ root, temporary }: TreeCopy): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_V8_COVERAGE|NODE_ENV)/.test(name))
  const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`
  return fork(join(root, 'proof/mutants-source/test-host.ts'), {
    cwd: root,
    detached: true,
    // Coverage of what was compiled before is less exact.
    env: { ...Object.fromEntries(inherited), PATH: path, TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: '1' },
    execArgv: ['--max-old-space-size=2048'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}
