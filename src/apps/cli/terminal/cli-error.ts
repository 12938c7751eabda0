/** What the process exits with; scripts may rely on it. */
export const exitCodes = {
  /** Done as asked; a run ended naturally. */
  success: 0,
  /** The run ended in an error, was stopped or was cancelled. */
  ended: 1,
  /** The command line was wrong; nothing was done. */
  misuse: 2,
  /** The run waits for a decision. */
  waiting: 3,
  /** The store or the run cannot be used: unknown, driven elsewhere, damaged, foreign. */
  unusable: 4,
  /** Ctrl-C: the run is stored and can be resumed. */
  interrupted: 130,
} as const

/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** An expected failure of a command; the message says what happened, `hints` what to do, a line each. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode
  /** Literal, e.g. `unknown_command`. */
  readonly code: string
  readonly hints: readonly string[]

  constructor(exitCode: ExitCode, code: string, message: string, hints: readonly string[] = []) {
    super(message)
    this.exitCode = exitCode
    this.code = code
    this.hints = hints
  }
}

/** A wrong command line: exit code 2. */
export function misuse(code: string, message: string, ...hints: readonly string[]): CliError {
  return new CliError(exitCodes.misuse, code, message, hints)
}

/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
