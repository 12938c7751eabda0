import { type Agent, createAgent } from '../agent/create-agent.ts'
import type { AgentOptions } from '../agent/options.ts'
import type { Run } from '../agent/run.ts'
import type { RunResult } from '../agent/run-result.ts'
import { StoreError } from '../domain/store-error.ts'
import type { Store } from '../ports/store.ts'
import type { Tool } from '../ports/tool.ts'
import { CommittedLog, messagesOf } from './committed-log.ts'
import { CrashLife, type CrashPoint, mortalStore } from './crash-life.ts'
import { type CrashOriginal, driveOriginal, isAsItWas } from './crash-original.ts'
import type { CrashProblem, CrashScenario, CrashStorage, CrashWalkOptions, Passage } from './crash-scenario.ts'
import { CrashWorld, newWorldState } from './crash-world.ts'
import { type Completion, Turnstile } from './turnstile.ts'
import { watchModel, watchTool } from './watch-performing.ts'

const runId = 'crashed'
const leaseMs = 1000
const maxWaits = 8
const patienceMs = 30_000

/** Drives one run to its end: each process dies at its crash point, and a new one goes on with what is stored. */
export async function passThrough(
  scenario: CrashScenario,
  completion: Completion,
  crashes: readonly CrashPoint[],
  options: CrashWalkOptions,
): Promise<Passage> {
  const storage = options.storage()
  try {
    return await new Walker(scenario, completion, storage, options).walk(crashes)
  } finally {
    await storage.dispose()
  }
}

class Walker {
  readonly #scenario: CrashScenario
  readonly #completion: Completion
  readonly #storage: CrashStorage
  readonly #options: CrashWalkOptions
  readonly #state = newWorldState()
  readonly #log = new CommittedLog()
  readonly #problems: CrashProblem[] = []
  readonly #onceTools = new Set<string>()
  #interruptions = 0
  #original: CrashOriginal | undefined

  constructor(scenario: CrashScenario, completion: Completion, storage: CrashStorage, options: CrashWalkOptions) {
    this.#scenario = scenario
    this.#completion = completion
    this.#storage = storage
    this.#options = options
  }

  async walk(crashes: readonly CrashPoint[]): Promise<Passage> {
    const writes: number[] = []
    await this.#prepare()
    for (const point of [...crashes, undefined]) {
      const life = new CrashLife(point)
      await this.#live(life)
      writes.push(life.writes)
      if (!life.isDead) break
      await this.#noteHalfFork()
      this.#state.clock.advance(leaseMs + 1)
    }
    return { ...(await this.#remains()), writes }
  }

  async #prepare(): Promise<void> {
    const { forkedFrom } = this.#scenario
    if (forkedFrom === undefined) return
    this.#original = await driveOriginal(this.#scenario, forkedFrom, await this.#storage.reopen(), this.#state)
  }

  /** One process: starts the run or finds it, and drives it until it is done or the process dies. */
  async #live(life: CrashLife): Promise<void> {
    const patience = Promise.withResolvers<never>()
    const timer = setTimeout(() => patience.reject(new Error(`No end within ${patienceMs} ms.`)), patienceMs)
    try {
      await Promise.race([this.#driveOn(life), patience.promise])
    } catch (error) {
      if (life.isDead) return
      this.#note('stuck', error instanceof Error ? error.message : String(error))
    } finally {
      clearTimeout(timer)
    }
  }

  async #driveOn(life: CrashLife): Promise<void> {
    const { build, play } = this.#scenario
    const store = await this.#storage.reopen()
    const isStored = await isKnown(store)
    const world = new CrashWorld(this.#state, life, new Turnstile(this.#completion))
    const wrap = this.#options.wrapStore ?? ((plain) => plain)
    const { clock, ids } = this.#state
    const built = this.#watched(build(world), life)
    const agent = createAgent({ ...built, store: wrap(mortalStore(store, life, this.#log)), clock, ids, leaseMs })
    const run = isStored ? await agent.load(runId) : await this.#begin(agent)
    world.enter(run)
    for (let waits = 0; waits <= maxWaits; waits++) {
      const result = await run.settled()
      if (result.status === 'done') return
      await this.#noteIgnored(store, result)
      const isInterrupted = await answerInterrupted(run, result, world)
      if (isInterrupted) this.#interruptions++
      else await play?.(run, world, result)
    }
    throw new Error(`The run still waits after ${maxWaits} answers.`)
  }

  #begin(agent: Agent): Promise<Run> | Run {
    const { prompt = 'Go.' } = this.#scenario
    if (this.#original === undefined) return agent.start(prompt, { runId })
    return agent.fork(this.#original.runId, { from: this.#original.version, runId })
  }

  /** Whoever finds a fork finds the checkpoint it goes on from. */
  async #noteHalfFork(): Promise<void> {
    if (this.#original === undefined) return
    const store = await this.#storage.reopen()
    if (!(await isKnown(store))) return
    const { checkpoint } = await store.read(runId)
    if (checkpoint === null) this.#note('lost', 'The fork is stored without the checkpoint it goes on from.')
  }

  #watched(options: ReturnType<CrashScenario['build']>, life: CrashLife): AgentOptions {
    const note = (problem: CrashProblem) => void (life.isDead || this.#problems.push(problem))
    for (const { name, effects } of options.tools ?? []) if ((effects ?? 'once') === 'once') this.#onceTools.add(name)
    const tools = (options.tools ?? []).map((tool: Tool) => watchTool(tool, this.#log, note))
    return { ...options, model: watchModel(options.model, this.#log, note), tools }
  }

  /** A call that waits although its suspension has an answer in the store has lost that answer. */
  async #noteIgnored(store: Store, { suspended }: RunResult): Promise<void> {
    const rows = await store.decisions(runId)
    for (const { callId, suspension } of suspended) {
      const isAnswered = rows.some(
        ({ item }) => item.kind === 'decision' && item.decision.suspensionId === suspension?.id,
      )
      if (isAnswered) this.#note('lost', `Call "${callId}" waits although its decision is stored.`)
    }
  }

  #note(kind: CrashProblem['kind'], message: string): void {
    this.#problems.push({ kind, message })
  }

  async #remains(): Promise<Omit<Passage, 'writes'>> {
    const store = await this.#storage.reopen()
    const { record, log } = await store.read(runId)
    const isKept = this.#original === undefined || (await isAsItWas(this.#original, store))
    if (!isKept) this.#note('original', 'The run that was forked is no longer stored as it was.')
    const unseen = await store.inbox(runId, 0)
    for (const { item } of unseen) this.#note('lost', `A row of kind "${item.kind}" was never taken in.`)
    const { status, doneReason, code, error } = record
    const calls = (await store.calls(runId)).map(({ record: call }) => [call.callId, call.status])
    return {
      transcript: messagesOf(log).map((message) => ({ ...message, timestamp: 0 })),
      ending: { status, doneReason, code, error, calls },
      effects: this.#state.effects,
      onceTools: this.#onceTools,
      takeovers: this.#log.takeovers,
      interruptions: this.#interruptions,
      problems: this.#problems,
    }
  }
}

/** The policy for calls whose process died: what the world has is taken, the rest is done again. */
async function answerInterrupted(run: Run, { suspended }: RunResult, world: CrashWorld): Promise<boolean> {
  const interrupted = suspended.filter(({ suspension }) => suspension?.reason === 'interrupted')
  for (const { callId } of interrupted) {
    const known = world.resultOf(callId)
    if (known === undefined) await run.decide([{ target: callId, action: 'resume', mode: 'replay' }])
    else await run.respond(callId, known)
  }
  return interrupted.length > 0
}

async function isKnown(store: Store): Promise<boolean> {
  try {
    await store.record(runId)
    return true
  } catch (error) {
    if (error instanceof StoreError && error.code === 'run_unknown') return false
    throw error
  }
}
