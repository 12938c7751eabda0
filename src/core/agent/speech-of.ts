import { UsageError } from '../domain/text/usage-error.ts'
import type { AgentCore, Speech } from '../driving/agent-core.ts'
import { givenDetails } from '../driving/plan-run.ts'

/** Returns the way in which the conversations of an agent go on with other agents of its family. */
export function speechOf(core: () => AgentCore): Speech {
  return {
    after: async (original) => (await import('../family/begin-handover.ts')).speechAfter(core(), original),
    begin: async (id, from) => {
      const { beginRun } = await import('../sessions/begin-run.ts')
      const goesOn = new Error('The session has gone on already.')
      try {
        const begun = await beginRun(
          { core: core(), id, begun: { subject: undefined, labels: {}, metadata: {} } },
          {
            input: { messages: [] },
            given: givenDetails({}),
            quota: undefined,
            configId: undefined,
            drive: false,
            from: async ({ lastRun }) => {
              if (lastRun !== from.original.record.id) throw goesOn
              return from
            },
          },
        )
        return begun.id
      } catch (error) {
        const isBusy = error instanceof UsageError && (error.code === 'run_busy' || error.code === 'run_waiting')
        if (error !== goesOn && !isBusy) throw error
        return undefined
      }
    },
  }
}
