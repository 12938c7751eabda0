/** The given options; a command reads those that its row of the table allows. */
export interface Options {
  readonly store: string | undefined
  readonly root: string | undefined
  readonly model: string | undefined
  /** The file of the module that exports the agents whose runs are driven. */
  readonly agents: string | undefined
  /** For `run` and `chat`: the name of one of these agents. For lists: the agent of the runs and conversations. */
  readonly agent: string | undefined
  readonly concurrency: string | undefined
  /** The name of the sandbox for commands; undefined for no commands. */
  readonly shell: string | undefined
  /** For `run` and `prompt`: what is sent with the prompt. */
  readonly files: readonly string[]
  readonly status: string | undefined
  /** For lists: the maximum number of entries. */
  readonly limit: string | undefined
  /** For lists: the subject of runs and conversations. */
  readonly subject: string | undefined
  /** For `fork`: the checkpoint that the fork begins at. */
  readonly from: string | undefined
  /** For `delete` and `chat`: the id of the session. */
  readonly session: string | undefined
  /** For `prune`: runs unchanged since this time are deleted. */
  readonly before: string | undefined
  /** For commands that delete: they do not ask first. */
  readonly yes: boolean
  /** For `record`: the module of the agent's options, the file that is written, and the fields that may be shown. */
  readonly options: string | undefined
  readonly out: string | undefined
  readonly allow: readonly string[]
  readonly reason: string | undefined
  readonly input: string | undefined
  /** For `approve` and `deny`: the scope of the answer: this call, the run, always. */
  readonly scope: string | undefined
  /** For `grants`: the id of the grant that is taken back. */
  readonly revoke: string | undefined
  readonly retry: boolean
  readonly full: boolean
  /** For `doctor`: also checks the open runs. */
  readonly runs: boolean
  /** For `graph` and `export`: the format. For `graph`: the run whose states are marked, and whether to fold it. */
  readonly format: string | undefined
  readonly run: string | undefined
  readonly overview: boolean
  /** For `studio`: the port on which it listens. */
  readonly port: string | undefined
  readonly drive: boolean
  /** Applies the root folder's rules that allow calls. */
  readonly trust: boolean
  readonly json: boolean
  readonly debug: boolean
}
