/** One step of the gate: a command that must end with 0. */
export interface Step {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** True for a step that uses every core itself, or writes files that other steps read, so that it runs alone. */
  readonly isAlone?: true
}

const bin = (name: string) => `node_modules/.bin/${name}`
const program = (path: string, ...rest: string[]): Step['command'] => [process.execPath, `${path}.ts`, ...rest]

/** The path of the runner's own report from the test step. */
export const testReport = 'coverage/tests.json'

/**
 * The steps of the whole gate. `package` waits for programs most of its time; it also compares the sizes of what it installs
 * with their limits, as `npm run budget -- --sizes` does. `lint` needs every type, and reports what the compiler would.
 */
export const steps: readonly Step[] = [
  { name: 'format', command: [bin('oxfmt'), '--check'] },
  { name: 'package', command: program('scripts/package') },
  { name: 'lint', command: [bin('oxlint')] },
  { name: 'docs', command: program('scripts/docs', '--check') },
  { name: 'rooms', command: program('scripts/rooms') },
  { name: 'dead code', command: [bin('knip'), '--no-config-hints'] },
  { name: 'requirements', command: program('scripts/requirements') },
  { name: 'simulation', command: program('proof/simulate', '--runs', '300') },
  {
    name: 'tests',
    isAlone: true,
    command: [bin('vitest'), 'run', '--reporter=dot', '--reporter=json', `--outputFile.json=${testReport}`],
  },
]
