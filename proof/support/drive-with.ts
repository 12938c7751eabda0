import type { Phase } from '../../machines/run/run.phases.ts'
import { agentCore } from '../../src/core/driving/agent-core.ts'
import { effectHandlers } from '../../src/core/effects/effect-handlers.ts'
import { partsOf } from '../../src/core/agent/options.ts'
import { runOptionsOf } from '../../src/core/driving/run-options.ts'
import { runCharts, toEvent } from '../../src/core/driving/run-charts.ts'
import type { AgentEvent } from '../../src/core/domain/event.ts'
import type { EffectHandlers } from '../../src/core/ports/effect-handler.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { Tool } from '../../src/core/ports/tool.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import { momentOf } from '../../src/core/runtime/held-lease.ts'
import { Drive } from '../../src/core/runtime/drive.ts'
import type { DriveOptions } from '../../src/core/runtime/drive-options.ts'
import { fakeClock } from './fake-clock.ts'
import { countedIds, runId } from './test-agent.ts'

/** The parts of a drive of one new run, including a test's own effect handlers. */
export interface DriveParts {
  readonly store: Store
  readonly handlers: EffectHandlers
  readonly replies?: readonly ScriptedReply[]
  readonly tools?: readonly Tool[]
  /** The phases with plugins. Default: none. */
  readonly watched?: readonly Phase[]
  /** Further parts of the drive. */
  readonly more?: Partial<DriveOptions>
}

/** Creates the run and drives it once; gives the events it told. */
export async function driveWith({
  store,
  handlers,
  replies = [],
  tools = [],
  watched = [],
  more = {},
}: DriveParts): Promise<readonly AgentEvent[]> {
  const clock = fakeClock()
  const ids = countedIds('p1')
  const options = { name: 'test', model: scripted([...replies], { now: clock.now }), tools }
  const parts = partsOf(options)
  const leaseMs = 30_000
  const core = agentCore({ name: 'test', parts, store, clock, ids, leaseMs })
  const machineInput = { options: { ...runOptionsOf({}), watched }, messages: [userMessage('Hi', clock.now())] }
  const newRun = { id: runId, agent: 'test', input: JSON.parse(JSON.stringify(machineInput)), at: clock.now() }
  const since = momentOf(clock)
  const lease = await store.create(newRun, core.newOwner(), leaseMs)
  const events: AgentEvent[] = []
  const drive = new Drive({
    store,
    lease,
    since,
    leaseMs,
    charts: runCharts,
    handlers: { ...effectHandlers(parts), ...handlers },
    clock,
    ids,
    machineInput: () => machineInput,
    keptInput: () => undefined,
    emit: (event) => void events.push(event),
    toEvent: toEvent.bind(undefined, () => ({})),
    ...more,
  })
  await drive.run()
  return events
}
