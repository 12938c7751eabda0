import type { Agent } from '../../index.ts'
import type { Access } from './access.ts'

/** A request as routes receive it. */
export interface Asked {
  readonly agent: Agent
  readonly request: Request
  readonly url: URL
  readonly access: Access
  readonly maxBodyBytes: number
  /** False if another process drives the runs: requests are only stored. */
  readonly drives: boolean
  /** Empty if the route has none. */
  readonly runId: string
  /** Empty if the route has none. */
  readonly callId: string
}
