/** A command of a shell tool, with its folder and environment. */
export interface SandboxCommand {
  /** The text for `bash -c`. */
  readonly command: string
  /** Absolute path with resolved links: the only folder that the command may change. */
  readonly root: string
  /** The working folder, relative to the root; `.` for the root. */
  readonly folder: string
  /** The whole environment of the command. */
  readonly environment: Readonly<Record<string, string>>
}

/** The process that runs a command. It leads its own process group, which is killed when the call ends. */
export interface SandboxProcess {
  readonly program: string
  readonly parameters: readonly string[]
  /** The whole environment of the program, which may exceed the command's environment. */
  readonly environment: Readonly<Record<string, string>>
  /** True if the program enters the working folder itself; otherwise it starts there. */
  readonly entersFolder: boolean
  /** Files that this process has opened for the program, which has them as descriptors 3, 4 and so on. */
  readonly descriptors?: readonly number[]
  /** Returns advice for the model about this standard error output, such as the option that forbade an operation. */
  advice?(stderr: string): string | undefined
  /** Closes the files, and ends processes outside the process group, such as a container. Always called once. */
  stop?(): Promise<void>
}

/** The end of a command that ran elsewhere. */
export interface SandboxEnd {
  readonly output: string
  /** True if there was more. */
  readonly isCut: boolean
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
}

/** The environment of shell commands: a box, or none. It is chosen explicitly, and never replaced by a weaker one. */
export interface Sandbox {
  readonly name: string
  /**
   * True if three conditions hold for a command: it reads and changes only its root and the system's own files, it
   * leaves no process behind, and it reaches no network unless allowed.
   */
  readonly isBoundary: boolean
  /** A notice for people before the first command, shown once. */
  readonly notice?: string
  /** Returns the missing requirement and the way to install it, or undefined if commands can run. */
  check(): Promise<string | undefined>
  /**
   * Runs a command elsewhere, such as in an editor's terminal; without it, `wrap` is asked. The signal fires at the end of
   * the call or of its time, and ends the command. Resolves with what it wrote, at most 262,144 bytes of it.
   */
  run?(command: SandboxCommand, call: { readonly callId: string; readonly signal: AbortSignal }): Promise<SandboxEnd>
  /** Returns the process for a command without starting it. Throws an error for the model if that would not be safe. */
  wrap(command: SandboxCommand): SandboxProcess
}
