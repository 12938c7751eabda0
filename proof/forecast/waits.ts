import type { FakeClock } from '../support/fake-clock.ts'
import { countedIds, stop } from '../support/test-agent.ts'
import { toolNamed } from '../support/tools.ts'
import { ModelError, type Store } from '../../src/index.ts'
import type { PermissionManager } from '../../src/ports.ts'
import { agentOf, oldVersion, type Version } from './old-version.ts'

/** A run that was stored by the old version: its prompt, and what else happens before the new version comes. */
export interface Wait {
  readonly prompt: string
  readonly quota?: number
  /** The process dies while these tools run, while the model is asked, or while the code that holds the call is. */
  readonly diesIn?: readonly string[] | 'model' | 'code'
  /** Code of the old version that holds the call, and that no version has any more. */
  readonly heldBy?: 'plugin' | 'manager'
  /** After the death, another process of the old version finds the run. */
  readonly isFound?: boolean
  /** The model cannot be reached. */
  readonly isOut?: boolean
  /** A decision that is stored before, and that no driver has seen. */
  readonly answer?: 'approve' | 'deny' | { readonly input?: object; readonly result?: object }
  readonly steered?: string
}

/** Each kind of open run that can be reached, by the id of its run. */
export const waits: { readonly [runId: string]: Wait } = {
  'needs-approval': { prompt: 'needing' },
  'rule-asks': { prompt: 'ruled' },
  'tool-asks': { prompt: 'asking' },
  'tool-wants-value': { prompt: 'valued' },
  'tool-wants-arguments': { prompt: 'passed' },
  'service-answers': { prompt: 'pay' },
  'sub-agent-asks': { prompt: 'help' },
  'two-questions': { prompt: 'needing+asking' },
  'beside-a-result': { prompt: 'needing+safe' },
  'at-its-last-call': { prompt: 'needing', quota: 1 },
  'model-is-out': { prompt: 'nothing', isOut: true },
  steered: { prompt: 'needing', steered: 'Faster.' },
  approved: { prompt: 'needing', answer: 'approve' },
  denied: { prompt: 'needing', answer: 'deny' },
  edited: { prompt: 'needing', answer: { input: { n: 2 } } },
  'given-a-result': { prompt: 'valued', answer: { result: { paid: 2 } } },
  'given-arguments': { prompt: 'passed', answer: { result: { n: 2 } } },
  'died-in-once': { prompt: 'once', diesIn: ['once'] },
  interrupted: { prompt: 'once', diesIn: ['once'], isFound: true },
  'died-in-safe': { prompt: 'safe', diesIn: ['safe'] },
  'died-before-next': { prompt: 'safe+alone', diesIn: ['safe'] },
  'died-before-question': { prompt: 'safe+lone', diesIn: ['safe'] },
  'died-after-approval': { prompt: 'needing', diesIn: ['needing'] },
  'died-at-model': { prompt: 'nothing', diesIn: 'model' },
  'held-by-plugin': { prompt: 'safe', heldBy: 'plugin' },
  'held-by-manager': { prompt: 'safe+once', heldBy: 'manager' },
  'died-at-manager': { prompt: 'safe', heldBy: 'manager', diesIn: 'code' },
}

/** Stores all of them, or those of some ids, with the old version, as its processes leave them. */
export async function storeWaits(store: Store, clock: FakeClock, only = Object.keys(waits)): Promise<void> {
  const entries = Object.entries(waits).filter(([runId]) => only.includes(runId))
  const dying = entries.filter(([, { diesIn }]) => diesIn !== undefined)
  for (const [runId, wait] of dying) await dieIn(runId, wait, { store, clock, ids: countedIds(`d-${runId}`) })
  clock.advance(60_000)
  for (const [runId, wait] of entries) {
    const outside = { store, clock, ids: countedIds(`o-${runId}`) }
    const agent = agentOf(withCode(wait), outside, () => {
      if (wait.isOut) throw new ModelError('network', 'No answer.')
    })
    if (wait.isFound) await (await agent.load(runId)).settled()
    if (wait.diesIn !== undefined) continue
    const { prompt, quota, steered, answer } = wait
    const run = agent.start(prompt, { runId, ...(quota === undefined ? {} : { quota }) })
    await run.settled()
    if (steered !== undefined) await run.steer(steered)
    if (answer === 'approve') await run.approve()
    else if (answer === 'deny') await run.deny()
    else if (answer?.input) await run.edit('c1', answer.input as never)
    else if (answer?.result)
      await (prompt === 'valued' ? run.respond('c1', answer.result as never) : run.pass('c1', answer.result as never))
  }
}

/** Returns the old version with the code that holds a call; `ask` is called when that code is asked. */
function withCode({ heldBy }: Wait, ask: NonNullable<PermissionManager['requestBuilder']> = () => null): Version {
  if (heldBy === undefined) return oldVersion
  if (heldBy === 'plugin') return { ...oldVersion, plugins: [{ name: 'holding', gateCall: () => ({ suspend: {} }) }] }
  const manager: PermissionManager = { get: () => ({ safe: 'requestable' }), requestBuilder: ask, set: () => {} }
  return { ...oldVersion, permissions: { ...oldVersion.permissions, policy: () => ['safe'], manager } }
}

/** Starts a run whose process ends in the middle of something. */
async function dieIn(runId: string, wait: Wait, outside: Parameters<typeof agentOf>[1]): Promise<void> {
  const { prompt, diesIn } = wait
  const begun = Promise.withResolvers<void>()
  const hold = () => {
    begun.resolve()
    return new Promise<never>(() => {})
  }
  const held = (name: string) => toolNamed(name, hold)
  const tools = oldVersion.tools.map((tool) =>
    diesIn?.includes(tool.name) ? { ...tool, execute: held(tool.name).execute } : tool,
  )
  const version: Version = { ...withCode(wait, diesIn === 'code' ? hold : undefined), tools }
  const agent = agentOf(version, outside, diesIn === 'model' ? hold : undefined)
  const run = agent.start(prompt, { runId })
  let driving = run.settled()
  const isWaiting = await Promise.race([begun.promise, driving.then(({ status }) => status === 'waiting')])
  if (isWaiting === true) {
    await run.approve()
    driving = run.settled()
  }
  await begun.promise
  await stop(run, driving)
}
