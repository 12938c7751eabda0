import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/*.test.ts'],
    pool: 'threads',
    // One fewer than there are cores would leave a machine of two with one.
    maxWorkers: 2,
    testTimeout: 10_000,
    reporters: ['default'],
  },
})
