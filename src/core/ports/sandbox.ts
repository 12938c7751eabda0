/** A command of a shell tool, and what it may work with. */
export interface SandboxCommand {
  /** The text `bash -c` is given. */
  readonly command: string
  /** Absolute, links followed: the only folder the command is meant to change. */
  readonly root: string
  /** Working folder, from the root; `.` for the root. */
  readonly folder: string
  /** The whole environment of the command. */
  readonly environment: Readonly<Record<string, string>>
}

/** The process that runs a command. It leads a process group of its own, which is killed when the call ends. */
export interface SandboxProcess {
  readonly program: string
  readonly parameters: readonly string[]
  /** The whole environment of the program, which may be more than the command sees. */
  readonly environment: Readonly<Record<string, string>>
  /** True where the program enters the working folder itself; otherwise it starts there. */
  readonly entersFolder: boolean
  /** Files that this process has opened for the program, which finds them as 3, 4 and so on. */
  readonly descriptors?: readonly number[]
  /**
   * What the model should be told beside this output on standard error, such as the option that forbids what failed.
   */
  advice?(stderr: string): string | undefined
  /**
   * Closes the files, and ends what killing the process group does not reach, such as a container. Called once, in any
   * case.
   */
  stop?(): Promise<void>
}

/** Where shell commands run: in a box, or without one. It is chosen explicitly, and never replaced by a weaker one. */
export interface Sandbox {
  readonly name: string
  /**
   * True where a command meets three conditions: it reads and changes only its root and what the system is made of, it
   * leaves no process behind, and it reaches no network unless that was allowed.
   */
  readonly isBoundary: boolean
  /** What people should know before the first command, told once. */
  readonly notice?: string
  /** What is missing and how to get it; undefined where commands can run. */
  check(): Promise<string | undefined>
  /**
   * The process for a command; nothing runs yet. Where the command cannot be run safely, it throws an error that the
   * model reads.
   */
  wrap(command: SandboxCommand): SandboxProcess
}
