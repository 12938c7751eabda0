import type { Agent, Run } from '../../index.ts'

/** The runs that clients may reach: those that they started. */
export interface ServedRuns {
  start(prompt: string): Run
  /** Rejects if the run does not exist or was started elsewhere. */
  load(runId: string): Promise<Run>
}

const label = 'mcp'

/**
 * Returns the runs of an agent that clients may reach. It marks the runs that it starts, in the store; other stored
 * runs are not reachable.
 */
export function servedRuns(agent: Agent): ServedRuns {
  return {
    start: (prompt) => agent.start(prompt, { labels: { [label]: agent.name } }),
    load: async (runId) => {
      const run = await agent.load(runId).catch(() => undefined)
      const labels = await run?.labels().catch(() => undefined)
      if (run !== undefined && labels?.[label] === agent.name) return run
      throw new Error(`There is no run ${JSON.stringify(runId.slice(0, 130))} of this agent that was started over MCP.`)
    },
  }
}
