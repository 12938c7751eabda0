import type { Sandbox } from '../../../core/ports/sandbox.ts'

/** Returns an environment without a box: commands may do whatever this process may. It warns on first use. */
export function unconfined(): Sandbox {
  return {
    name: 'unconfined',
    isBoundary: false,
    notice: 'Commands run unconfined: they may read and change whatever this process may.',
    check: async () => undefined,
    wrap: ({ command, environment }) => ({
      program: 'bash',
      parameters: ['-c', command],
      environment,
      entersFolder: false,
    }),
  }
}
