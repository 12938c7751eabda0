import type { AgentCore, Speech } from '../driving/agent-core.ts'

/** Returns the functions that continue an agent's conversations with other agents of its family. */
export function speechOf(core: () => AgentCore): Speech {
  return {
    after: async (original) => (await import('../family/begin-handover.ts')).speechAfter(core(), original),
    begin: async (id, from) => {
      const { beginUnasked } = await import('../sessions/begin-run.ts')
      const hasGoneOn = (lastRun: string | undefined) => lastRun !== from.original.record.id
      return (await beginUnasked(core(), id, async ({ lastRun }) => (hasGoneOn(lastRun) ? undefined : from))).id
    },
  }
}
