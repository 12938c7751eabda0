/** Options as given; a command reads those its row of the table allows. */
export interface Options {
  readonly store: string | undefined
  readonly root: string | undefined
  readonly model: string | undefined
  /** File of the module that exports the agents whose runs are driven. */
  readonly agents: string | undefined
  /** Of `run` and `chat`: which of these agents; of lists: whose runs and conversations. */
  readonly agent: string | undefined
  readonly concurrency: string | undefined
  /** Name of the sandbox commands run in; undefined for no commands. */
  readonly shell: string | undefined
  readonly status: string | undefined
  /** Of lists: at most so many. */
  readonly limit: string | undefined
  /** Of lists: what runs and conversations are about. */
  readonly subject: string | undefined
  /** For `fork`: the checkpoint that the fork begins at. */
  readonly from: string | undefined
  /** For `delete` and `chat`: the id of the session. */
  readonly session: string | undefined
  /** For `prune`: runs unchanged since this time are deleted. */
  readonly before: string | undefined
  /** For commands that delete: they do not ask first. */
  readonly yes: boolean
  readonly reason: string | undefined
  readonly input: string | undefined
  /** For `approve` and `deny`: the scope of the answer: this call, the run, always. */
  readonly scope: string | undefined
  /** For `grants`: the id of the grant that is taken back. */
  readonly revoke: string | undefined
  readonly retry: boolean
  readonly full: boolean
  /** Of `doctor`: whether it looks at the open runs too. */
  readonly runs: boolean
  /** Of `graph` and `export`: the format. Of `graph`: the run whose way it marks, and whether it is folded. */
  readonly format: string | undefined
  readonly run: string | undefined
  readonly overview: boolean
  /** For `studio`: the port on which it listens. */
  readonly port: string | undefined
  readonly drive: boolean
  /** Whether rules of the root folder that allow calls count. */
  readonly trust: boolean
  readonly json: boolean
  readonly debug: boolean
}
