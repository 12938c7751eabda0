import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { isWhole } from './proof/support/sampled.ts'
import { LongestFirst } from './test/longest-first.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/*.test.ts'],
    pool: 'threads',
    // A file leaves nothing behind: modules are loaded once a worker, which is a third of what all tests cost.
    isolate: false,
    // Node reads the sources itself, as it does for whoever uses them: nothing is transformed, and nothing is mocked.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // What a test stubs and spies on is put back after it, so that the next file does not find it.
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // One more than there are cores of a small machine: a test that waits for a process or a page leaves its core to another.
    maxWorkers: Math.max(3, availableParallelism()),
    globalSetup: ['./test/temporary-files.ts'],
    setupFiles: ['./test/fixed-seed.ts'],
    // They end what hangs. Tests are bounded by the work they do, and a busy machine is no failure. Whole tests draw 25 times as much.
    testTimeout: isWhole ? 1_500_000 : 60_000,
    hookTimeout: 60_000,
    reporters: ['default'],
    sequence: { sequencer: LongestFirst },
    // Processes that tests start find compiled what an earlier one has loaded.
    env: { NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled') },
  },
})
