/** Options of a box. */
export interface BubblewrapOptions {
  /** Default `none`: not even the loopback of this machine. */
  readonly network?: 'none' | 'allow'
  /**
   * Default `read`: commands change nothing in `.git` of the root, and cannot commit. With `write` they can, and they can make
   * git run programs outside of the box later: only hooks and configuration are protected.
   */
  readonly git?: 'read' | 'write'
  /** Absolute folders and files that commands may read. Default none; a toolchain outside `/usr` has to be named. */
  readonly readable?: readonly string[]
  /** Processes and threads of one command at a time. Default 512. Does not bind root. */
  readonly maxProcesses?: number
  /** Bytes of memory one process may ask for. Default 4 GB. */
  readonly maxMemory?: number
  /** Bytes of the largest file a command may write. Default 1 GB. */
  readonly maxFileSize?: number
  /** The program. Default `bwrap`, looked for on the path. */
  readonly program?: string
}
