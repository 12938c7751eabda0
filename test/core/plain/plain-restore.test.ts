import { expect, test } from 'vitest'
import { createActor, type Snapshot, toPromise, waitFor } from 'xstate'
import { createAgent, type PlainLog, SnapshotError } from '../../../src/index.ts'
import type { PlainMachine } from '../../../src/ports.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { toolbox } from '../../../proof/support/tools.ts'

interface Saved {
  readonly snapshot: Snapshot<unknown>
  readonly log: PlainLog
}

interface Damaged {
  status: string
  children: Record<string, { snapshot: object }>
  context: { calls: object | null }
}

function change(children: Damaged['children'], fields: object): void {
  for (const child of Object.values(children)) Object.assign(child.snapshot, fields)
}

function clerk(effects: 'once' | 'none' = 'once') {
  const { done, act } = toolbox()
  const call = { id: 'c1', name: 'write', arguments: { text: 'Hi' } }
  const agent = createAgent({
    name: 'clerk',
    model: scripted([{ toolCalls: [call] }, 'Bye']),
    tools: [act('write', { needs: 'approval', effects })],
  })
  return { agent, done }
}

/** A run that waits, as JSON. */
async function waiting(prompt = 'Hi'): Promise<string> {
  const { agent } = clerk()
  let log: PlainLog | undefined
  const actor = createActor(agent.provide({ onLog: (kept) => (log = kept) }), { input: prompt })
  actor.start()
  await waitFor(actor, ({ value }) => value === 'waiting')
  const snapshot = actor.getPersistedSnapshot()
  actor.stop()
  return JSON.stringify({ snapshot, log })
}

function refusal(machine: PlainMachine, snapshot: Snapshot<unknown>): SnapshotError {
  const actor = createActor(machine, { snapshot })
  try {
    actor.start()
  } catch (error) {
    const { status, error: kept } = actor.getSnapshot()
    if (error instanceof SnapshotError && status === 'error' && kept === error) return error
    throw error
  }
  throw new Error('It started.')
}

test('RUN-09 CKP-03 continues in another agent from snapshot and log, both through JSON, and accepts an approval there', async () => {
  const { snapshot, log } = JSON.parse(await waiting()) as Saved
  const { agent, done } = clerk()
  const actor = createActor(agent.provide({ log }), { snapshot })
  const ids: string[] = []
  actor.on('run.ended', ({ runId }) => void ids.push(runId))
  actor.start()
  const receipts = await agent.decide(actor, [{ target: '1.c1', action: 'resume' }])
  expect(receipts.map(({ answer }) => answer)).toEqual(['applied'])
  const { outcome, text, messages } = await toPromise(actor)
  expect({ outcome, text, count: messages.length }).toEqual({
    outcome: { reason: 'natural_end' },
    text: 'Bye',
    count: 4,
  })
  expect(done).toEqual(['write {"text":"Hi"}'])
  expect(ids).toEqual([log.runId])
  expect(log.entries.map(({ seq }) => seq)).toEqual(log.entries.map((_, index) => index + 1))
})

test('RUN-09 CKP-03 a snapshot taken at any event of a run leads to the same end', async () => {
  const { agent } = clerk('none')
  const saved: string[] = []
  let log: PlainLog | undefined
  const actor = createActor(agent.provide({ onLog: (kept) => (log = kept) }), { input: 'Hi' })
  actor.on('*', ({ type }) => {
    if (actor.getSnapshot().status === 'active')
      saved.push(JSON.stringify({ type, snapshot: actor.getPersistedSnapshot(), log }))
  })
  actor.start()
  await waitFor(actor, ({ value }) => value === 'waiting')
  await agent.decide(actor, [{ target: '1.c1', action: 'resume' }])
  const end = await toPromise(actor)
  expect(saved.length).toBeGreaterThan(8)

  for (const text of saved) {
    const { snapshot, log: kept } = JSON.parse(text) as Saved
    const next = clerk('none').agent
    const restored = createActor(next.provide({ log: kept }), { snapshot })
    restored.start()
    const { value } = await waitFor(restored, ({ value: now, status }) => now === 'waiting' || status === 'done')
    if (value === 'waiting') await next.decide(restored, [{ target: '1.c1', action: 'resume' }])
    const { outcome, text: said, messages } = await toPromise(restored)
    const roles = messages.map(({ role }) => role)
    expect([text, outcome, said, roles]).toEqual([text, end.outcome, end.text, end.messages.map(({ role }) => role)])
  }
})

test('RUN-09 CKP-03 a decision given before the snapshot is known after it', async () => {
  const { agent } = clerk()
  let log: PlainLog | undefined
  const actor = createActor(agent.provide({ onLog: (kept) => (log = kept) }), { input: 'Hi' })
  actor.start()
  await waitFor(actor, ({ value }) => value === 'waiting')
  const yes = [{ target: '1.c1', action: 'resume' }] as const
  await agent.decide(actor, yes)
  const saved = JSON.stringify({ snapshot: actor.getPersistedSnapshot(), log })
  actor.stop()

  const { snapshot, log: kept } = JSON.parse(saved) as Saved
  const next = clerk()
  const restored = createActor(next.agent.provide({ log: kept }), { snapshot })
  restored.start()
  expect(await next.agent.decide(restored, yes)).toMatchObject([{ answer: 'duplicate' }])
})

test('RUN-09 CKP-03 refuses to start from a snapshot and a log that do not belong together, and gives advice', async () => {
  const text = await waiting()
  const { snapshot, log } = JSON.parse(text) as Saved
  const other = (JSON.parse(await waiting('Hello')) as Saved).log
  const { agent, done } = clerk()
  const [first, ...rest] = log.entries
  const edited = { ...first, seq: 9 } as (typeof log.entries)[number]
  const cases: readonly [PlainLog | undefined, string, string][] = [
    [undefined, 'log_missing', 'its log is missing'],
    [{} as PlainLog, 'log_missing', 'does not have the form { runId, entries }'],
    [other, 'log_of_another_run', `the log is that of run "${other.runId}"`],
    [
      { ...log, entries: log.entries.slice(0, -1) },
      'log_cut_short',
      'its log has 7 entries, and the snapshot was taken with 8',
    ],
    [
      { ...log, entries: [...log.entries, edited] },
      'log_of_another_moment',
      'it is from another moment, or was changed',
    ],
    [{ ...log, entries: [edited, ...rest] }, 'log_of_another_moment', 'it is from another moment, or was changed'],
  ]
  for (const [given, code, what] of cases) {
    const error = refusal(agent.provide(given === undefined ? {} : { log: given }), snapshot)
    expect([error.code, error.runId]).toEqual([code, log.runId])
    expect(error.message).toContain(what)
    expect(error.message).toContain('pass both: agent.provide({ log }). Nothing was changed.')
  }
  expect(done).toEqual([])
  expect(JSON.stringify({ snapshot, log })).toBe(text)
})

test('RUN-09 CKP-03 refuses a snapshot that is damaged, of another machine, or without its actor', async () => {
  const { snapshot, log } = JSON.parse(await waiting()) as Saved
  const { agent } = clerk()
  const machine = agent.provide({ log })
  const { plain: _plain, ...bare } = snapshot as Snapshot<unknown> & { plain: unknown }
  expect(refusal(machine, bare as never).message).toContain('its snapshot does not name a log')
  expect(refusal(machine, 7 as never)).toMatchObject({
    runId: '',
    message: expect.stringContaining('its snapshot does not name a log'),
  })
  expect(refusal(machine, { ...snapshot, odd: 1n } as never)).toMatchObject({
    runId: '',
    message: 'Run "" cannot be continued: its snapshot is not JSON: it contains a big integer. Nothing was changed.',
  })
  expect(refusal(machine, { ...snapshot, value: 'nowhere' } as never).message).toContain('the charts reject its state')
  const poisoned = JSON.parse(
    JSON.stringify(snapshot).replace('"context":{', '"context":{"__proto__":{"turn":9},'),
  ) as never
  expect(refusal(machine, poisoned).code).toBe('snapshot_unreadable')
  const actor = createActor(machine, { input: 'Hi' })
  expect(() => actor.start()).toThrow('A log was given to agent.provide, and no snapshot to createActor')
})

test('RUN-09 CKP-03 refuses a snapshot that could not continue: another status, missing actors, unnamed calls', async () => {
  const text = await waiting()
  const { agent, done } = clerk()
  const isActive = 'and its states are those of a run that is active'
  const cases: readonly (readonly [(snapshot: Damaged) => void, string])[] = [
    [(snapshot) => (snapshot.status = 'done'), `its status is "done", ${isActive}`],
    [(snapshot) => (snapshot.status = 'error'), `its status is "error", ${isActive}`],
    [(snapshot) => (snapshot.status = 'odd'), `its status is "odd", ${isActive}`],
    [(snapshot) => (snapshot.status = 'stopped'), 'its actor was stopped before the snapshot was taken'],
    [(snapshot) => (snapshot.children = {}), 'actors that its states need are missing or have ended: 1.c1'],
    [({ children }) => change(children, { status: 'done' }), 'are missing or have ended: 1.c1'],
    [({ children }) => change(children, { children: {} }), 'are missing or have ended: 1.c1/expiry'],
    [({ context }) => (context.calls = {}), 'it has actors of calls that it does not name: 1.c1'],
    [({ context }) => (context.calls = null), 'its context names no calls'],
  ]
  for (const [damage, what] of cases) {
    const { snapshot, log } = JSON.parse(text) as Saved
    damage(snapshot as unknown as Damaged)
    const error = refusal(agent.provide({ log }), snapshot)
    expect([error.code, error.runId.slice(0, 4)]).toEqual(['snapshot_unreadable', 'run_'])
    expect(error.message).toContain(what)
  }
  expect(done).toEqual([])
})

test('RUN-09 CKP-03 accepts the snapshot of a finished run, and refuses it with the status of an unfinished one', async () => {
  const { agent } = clerk()
  const { snapshot: begun, log: first } = JSON.parse(await waiting()) as Saved
  let log = first
  const actor = createActor(agent.provide({ log, onLog: (kept) => (log = kept) }), { snapshot: begun }).start()
  await agent.decide(actor, [{ target: '1.c1', action: 'resume' }])
  const { outcome } = await toPromise(actor)
  const snapshot = actor.getPersistedSnapshot()
  const again = createActor(agent.provide({ log }), { snapshot }).start()
  expect((await toPromise(again)).outcome).toEqual(outcome)
  expect(refusal(agent.provide({ log }), { ...snapshot, status: 'active' } as never).message).toContain(
    'its status is "active", and its states are those of a run that is done',
  )
})

test('RUN-09 a snapshot of agent.machine requires its log, and starts nothing without it', async () => {
  const { agent } = clerk()
  const actor = createActor(agent.machine, { input: 'Hi' })
  actor.start()
  const snapshot = actor.getPersistedSnapshot()
  actor.stop()
  expect(refusal(agent.machine, snapshot).code).toBe('log_missing')
})

test('RUN-09 TC-08 asks about a once tool that was running when the snapshot was taken, instead of running it again', async () => {
  const { act, done } = toolbox()
  const held = Promise.withResolvers<string>()
  const options = (execute: () => Promise<string>) => ({
    name: 'clerk',
    model: scripted([{ toolCalls: [{ id: 'c1', name: 'pay', arguments: {} }] }, 'Bye']),
    tools: [{ ...act('pay'), execute }],
  })
  const agent = createAgent(options(() => held.promise))
  let log: PlainLog | undefined
  const actor = createActor(agent.provide({ onLog: (kept) => (log = kept) }), { input: 'Hi' })
  const started = new Promise((resolve) => actor.on('toolExecution.started', resolve))
  actor.start()
  await started
  const saved = JSON.stringify({ snapshot: actor.getPersistedSnapshot(), log })
  actor.stop()

  const { snapshot, log: kept } = JSON.parse(saved) as Saved
  const next = createAgent(options(async () => String(done.push('paid'))))
  const restored = createActor(next.provide({ log: kept }), { snapshot })
  restored.start()
  const { context } = await waitFor(restored, ({ value }) => value === 'waiting')
  expect(Object.values(context.calls)).toMatchObject([{ suspension: { reason: 'interrupted' } }])
  expect(done).toEqual([])
})
