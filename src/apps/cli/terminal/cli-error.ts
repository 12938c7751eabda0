/** The exit codes of the process; scripts may rely on them. */
export const exitCodes = {
  /** The command succeeded; a run ended naturally. */
  success: 0,
  /** The run ended in an error, was stopped or was cancelled; for `diff` and `forecast`: something differs; for `prove`: broken. */
  ended: 1,
  /** The command line was wrong; nothing was done. */
  misuse: 2,
  /** The run waits for a decision. */
  waiting: 3,
  /** The store or the run cannot be used: unknown, driven elsewhere, damaged or foreign. */
  unusable: 4,
  /** Ctrl-C: the run is stored and can be resumed. */
  interrupted: 130,
} as const

/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** An expected failure of a command. The message says what happened, and `hints` say what to do, one line each. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode
  /** A literal code, e.g. `unknown_command`. */
  readonly code: string
  readonly hints: readonly string[]

  constructor(exitCode: ExitCode, code: string, message: string, hints: readonly string[] = []) {
    super(message)
    this.exitCode = exitCode
    this.code = code
    this.hints = hints
  }
}

/** Returns the error of an invalid command line: exit code 2. */
export function misuse(code: string, message: string, ...hints: readonly string[]): CliError {
  return new CliError(exitCodes.misuse, code, message, hints)
}

/** Returns the error of a store or a run that cannot be used: exit code 4. */
export function unusable(code: string, message: string, ...hints: readonly string[]): CliError {
  return new CliError(exitCodes.unusable, code, message, hints)
}

/** Returns the known word that an option or argument gives; throws for any other, e.g. `Unknown status "x".` */
export function knownWord<Word extends string>(what: string, given: string, known: readonly Word[]): Word {
  const word = known.find((each) => each === given)
  if (word !== undefined) return word
  throw misuse(`bad_${what}`, `Unknown ${what} ${JSON.stringify(given.slice(0, 100))}.`, `Known: ${known.join(', ')}.`)
}

/** Returns a number with its noun, e.g. `1 run`, `2 runs`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Returns the message of a thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
