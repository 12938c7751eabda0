import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/*.test.ts'],
    pool: 'threads',
    testTimeout: 10_000,
    reporters: ['default'],
  },
})
