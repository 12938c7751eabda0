import type { Agent } from '../../index.ts'
import type { Access } from './access.ts'

/** A request as a route answers it. */
export interface Asked {
  readonly agent: Agent
  readonly request: Request
  readonly url: URL
  readonly access: Access
  readonly maxBodyBytes: number
  /** Empty where the route has none. */
  readonly runId: string
  /** Empty where the route has none. */
  readonly callId: string
}
