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
  /** Of `fork`: the checkpoint. */
  readonly from: string | undefined
  /** Of `delete` and `chat`: the conversation. */
  readonly session: string | undefined
  /** Of `prune`: what has not changed since goes. */
  readonly before: string | undefined
  /** Of what deletes: it is not asked about. */
  readonly yes: boolean
  readonly reason: string | undefined
  readonly input: string | undefined
  /** Of `approve` and `deny`: how far the answer goes. */
  readonly scope: string | undefined
  /** Of `grants`: the one that is taken back. */
  readonly revoke: string | undefined
  readonly retry: boolean
  readonly full: boolean
  /** Of `doctor`: whether it looks at the open runs too. */
  readonly runs: boolean
  /** Of `graph` and `export`: the format. Of `graph`: the run whose way it marks, and whether it is folded. */
  readonly format: string | undefined
  readonly run: string | undefined
  readonly overview: boolean
  /** Of `studio`: where it listens. */
  readonly port: string | undefined
  readonly drive: boolean
  /** Whether rules of the root folder that allow calls count. */
  readonly trust: boolean
  readonly json: boolean
  readonly debug: boolean
}
