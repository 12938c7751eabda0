/** The server's description of itself. */
export interface About {
  /** Names of the agents whose runs it drives. */
  readonly agents: readonly string[]
  readonly charts: readonly string[]
  /** True if it knows what the tests of an agent take of the charts. */
  readonly hasTested: boolean
}
