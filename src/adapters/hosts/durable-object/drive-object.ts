import { createWorker } from '../../../core/workers/worker.ts'
import { backlogOf } from '../../../core/driving/agent-version.ts'
import type { AgentCore } from '../../../core/driving/agent-core.ts'
import { membersOf } from '../../../core/family/lineage.ts'
import type { Agent } from '../../../index.ts'
import type { ObjectAlarm } from './object-alarm.ts'

/** A platform ends an alarm after 15 minutes: no run is claimed after the first time, no effect runs after both. */
const claimMs = 600_000
const drainMs = 240_000

/** Milliseconds after which work that nothing here can drive is looked at again. */
const retryMs = 60_000

/** Drives what the object has to do, and sets the alarm for what it will have to do next. */
export async function driveObject(agent: Agent, core: AgentCore, alarm: ObjectAlarm): Promise<void> {
  const isProgress = await workUntilIdle(agent, core)
  for (;;) {
    const { writes } = alarm
    const at = await nextWork(core, isProgress)
    // Somebody has written while this was being read.
    if (alarm.writes === writes) return alarm.set(at)
  }
}

/** Returns true if a run was driven to a rest. */
async function workUntilIdle(agent: Agent, { clock }: AgentCore): Promise<boolean> {
  const worker = createWorker({ agents: [agent] })
  const idle = Promise.withResolvers<void>()
  const over = new AbortController()
  let isProgress = false
  worker.on(({ type }) => {
    if (type === 'released') isProgress = true
    if (type === 'idle') idle.resolve()
  })
  await Promise.race([idle.promise, clock.sleepUntil(clock.now() + claimMs, over.signal)])
  over.abort()
  await worker.drain({ drainMs })
  return isProgress
}

/** Returns the time of the next work in Unix milliseconds, or undefined if there is none. */
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
