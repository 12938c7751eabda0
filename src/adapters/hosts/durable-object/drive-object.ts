import { backlogOf } from '../../../core/driving/agent-version.ts'
import type { AgentCore } from '../../../core/driving/agent-core.ts'
import { membersOf } from '../../../core/family/lineage.ts'
import type { Agent } from '../../../index.ts'
import { retryMs, workUntilIdle } from '../work-until-idle.ts'
import type { ObjectAlarm } from './object-alarm.ts'

/** Drives the object's work, and sets the alarm for its next work. */
export async function driveObject(agent: Agent, core: AgentCore, alarm: ObjectAlarm): Promise<void> {
  const isProgress = await workUntilIdle(agent, core.clock)
  for (;;) {
    const { writes } = alarm
    const at = await nextWork(core, isProgress)
    // Somebody has written while this was being read.
    if (alarm.writes === writes) return alarm.set(at)
  }
}

/** Returns the time of the next work in Unix milliseconds, or undefined without work. */
async function nextWork(core: AgentCore, isProgress: boolean): Promise<number | undefined> {
  const { store, clock } = core
  const members = membersOf(core)
  const now = clock.now()
  const due =
    (await backlogOf(store, members, { now, limit: 1 })) > 0
      ? now
      : await store.nextDue(members.map(({ name }) => name))
  return due === undefined || due > now || isProgress ? due : now + retryMs
}
