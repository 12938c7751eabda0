import { createAgent } from '../../core/agent/create-agent.ts'
import type { Agent } from '../../core/agent/agent.ts'
import type { AgentOptions } from '../../core/agent/options.ts'
import type { Run } from '../../core/agent/run.ts'
import { type RunResult, standingOf, storedFacts } from '../../core/driving/run-result.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { ifStored, StoreError } from '../../core/domain/store-error.ts'
import type { Store, StoredRun } from '../../core/ports/store.ts'
import type { Tool } from '../../core/ports/tool.ts'
import { CommittedLog, messagesOf } from './committed-log.ts'
import { mapTools } from './map-tools.ts'
import { type CrashPoint, MortalProcess } from './mortal-process.ts'
import { mortalStore } from './mortal-store.ts'
import { beginFrom, type CrashOriginal, driveOriginal, isAsItWas, missingFrom } from './crash-original.ts'
import type { CrashScenario, CrashStorage, CrashWalkOptions, Trial } from './crash-scenario.ts'
import type { CrashProblem } from './crash-problem.ts'
import {
  type CrashEnvironment,
  keepName,
  type EnvironmentState,
  newEnvironmentState,
  TrialEnvironment,
} from './crash-environment.ts'
import { type Interleaving, Interleaver } from './interleaving.ts'
import { withPlainHolds } from './plain-holds.ts'
import { judgeSaid, wordsOf } from './said.ts'
import { tellLeft } from './tell-left.ts'
import { watchModel, watchTool } from './watch-performing.ts'

const runId = 'crashed'
const leaseMs = 1000
const maxWaits = 8
const patienceMs = 30_000
/** The limit of writes of one process, after which its run counts as endless. */
export const maxWrites = 1000

/** Drives one run to its end. Each process dies at its crash point, and a new process continues from the store. */
export async function runTrial(
  scenario: CrashScenario,
  interleaving: Interleaving,
  crashes: readonly CrashPoint[],
  options: CrashWalkOptions,
): Promise<Trial> {
  const state = newEnvironmentState()
  const storage = options.storage(state.clock)
  try {
    return await new Walker(scenario, interleaving, { storage, state }, options).walk(crashes)
  } finally {
    await storage.dispose()
  }
}

class Walker {
  readonly #scenario: CrashScenario
  readonly #interleaving: Interleaving
  readonly #storage: CrashStorage
  readonly #options: CrashWalkOptions
  readonly #state: EnvironmentState
  readonly #log = new CommittedLog(runId)
  readonly #problems: CrashProblem[] = []
  readonly #onceTools = new Set<string>()
  #interruptions = 0
  #original: CrashOriginal | undefined

  constructor(
    scenario: CrashScenario,
    interleaving: Interleaving,
    { storage, state }: { readonly storage: CrashStorage; readonly state: EnvironmentState },
    options: CrashWalkOptions,
  ) {
    this.#state = state
    this.#scenario = scenario
    this.#interleaving = interleaving
    this.#storage = storage
    this.#options = options
  }

  async walk(crashes: readonly CrashPoint[]): Promise<Trial> {
    const writes: number[] = []
    const stopped: { readonly mortal: MortalProcess; readonly living: Promise<void> }[] = []
    await this.#prepare()
    for (const point of [...crashes, undefined]) {
      const mortal = new MortalProcess(point)
      const living = this.#live(mortal)
      await Promise.race([living, mortal.stopping])
      writes.push(mortal.writes)
      if (mortal.isStopped) {
        stopped.push({ mortal, living })
        await underWay()
      } else if (!mortal.isDead) break
      await this.#noteHalfBegun()
      this.#state.clock.advance(leaseMs + 1)
    }
    for (const { mortal, living } of stopped) await this.#wake(mortal, living)
    if (this.#scenario.userId !== undefined) {
      const left = await tellLeft(this.#scenario, await this.#storage.reopen(), this.#state)
      this.#problems.push(...left)
    }
    return { ...(await this.#remains()), writes }
  }

  /** Wakes a stopped process whose run another process has finished. It must notice that before it acts. */
  async #wake(mortal: MortalProcess, living: Promise<void>): Promise<void> {
    const { effects } = this.#state
    const before = effects.length
    mortal.wake()
    await living
    // Outgoing items are reserved for one sender, longer than a lease, and are stored once even if sent twice.
    const reached = effects.slice(before).filter(({ toolName }) => toolName !== keepName)
    for (const { callId } of reached) this.#note('doubled', `Call "${callId}" ${tooLate}`)
  }

  async #prepare(): Promise<void> {
    const { forkedFrom, goesOnWith } = this.#scenario
    if (forkedFrom === undefined && goesOnWith === undefined) return
    this.#original = await driveOriginal(this.#scenario, await this.#storage.reopen(), this.#state)
  }

  /** Runs one process: starts or loads the run, and drives it until the run is done or the process dies. */
  async #live(mortal: MortalProcess): Promise<void> {
    const patience = Promise.withResolvers<never>()
    const timer = setTimeout(() => patience.reject(new Error(`No end within ${patienceMs} ms.`)), patienceMs)
    try {
      await Promise.race([this.#driveOn(mortal), patience.promise])
    } catch (error) {
      if (mortal.isDead || (mortal.isWoken && error instanceof StoreError)) return
      this.#note('stuck', thrownText(error))
    } finally {
      clearTimeout(timer)
    }
  }

  async #driveOn(mortal: MortalProcess): Promise<void> {
    const { build } = this.#scenario
    const store = await this.#storage.reopen()
    const isStored = await isKnown(store)
    const environment = new TrialEnvironment(this.#state, mortal, new Interleaver(this.#interleaving), this.#log)
    const wrap = this.#options.wrapStore ?? ((plain) => plain)
    const { clock, ids } = this.#state
    const built = this.#watched(build(environment), mortal)
    const mortalOne = this.#bounded(mortalStore(store, mortal, this.#log), mortal, environment)
    const agent = createAgent({ ...built, store: wrap(mortalOne), clock, ids, leaseMs })
    try {
      await this.#settle(agent, isStored, environment, store, mortal)
    } finally {
      await agent.close()
    }
  }

  async #settle(
    agent: Agent,
    isStored: boolean,
    environment: TrialEnvironment,
    store: Store,
    mortal: MortalProcess,
  ): Promise<void> {
    const { play } = this.#scenario
    const run = isStored ? await agent.load(runId) : await this.#begin(agent)
    environment.enter(run)
    for (let waits = 0; waits <= maxWaits; waits++) {
      const result = await run.settled()
      if (result.status === 'done') return
      // Skips a woken process, because the decisions that it saw missing are stored by now.
      if (!mortal.isWoken) await this.#noteIgnored(store, result)
      const isInterrupted = await answerInterrupted(run, result, environment)
      if (isInterrupted) this.#interruptions++
      else await play?.(run, environment, result)
    }
    throw new Error(`The run still waits after ${maxWaits} answers.`)
  }

  #begin(agent: Agent): Promise<Run> | Run {
    const { prompt = 'Go.', goesOnWith = prompt, userId } = this.#scenario
    if (this.#original === undefined) return agent.start(prompt, { runId, ...(userId === undefined ? {} : { userId }) })
    return beginFrom(this.#original, agent, runId, goesOnWith)
  }

  /** Checks that a run that was begun from another run is stored with everything it begins with. */
  async #noteHalfBegun(): Promise<void> {
    if (this.#original === undefined) return
    const store = await this.#storage.reopen()
    if (!(await isKnown(store))) return
    const missing = missingFrom(this.#original, await store.read(runId))
    if (missing !== undefined) this.#note('lost', missing)
  }

  /** Returns the store of one process with a limit of writes. */
  #bounded(store: Store, mortal: MortalProcess, environment: CrashEnvironment): Store {
    const { beforeEnd } = this.#scenario
    const commit: Store['commit'] = async (given) => {
      if (given.status === 'done') await beforeEnd?.(environment)
      if (mortal.writes >= maxWrites && !mortal.isDead) {
        this.#note('stuck', `The run has not ended after ${maxWrites} writes.`)
        mortal.die()
      }
      return store.commit(given)
    }
    return { ...store, commit }
  }

  #watched(options: ReturnType<CrashScenario['build']>, mortal: MortalProcess): AgentOptions {
    const note = (problem: CrashProblem) => void (mortal.isDead || this.#problems.push(problem))
    const watched = (tool: Tool) => {
      if ((tool.effects ?? 'once') === 'once') this.#onceTools.add(tool.name)
      return watchTool(tool, this.#log, note)
    }
    const tools = mapTools(options.tools ?? [], watched)
    const model = watchModel(options.model, this.#log, note)
    const stream: typeof model.stream = (request) => {
      if (mortal.isWoken) note({ kind: 'doubled', message: `The model ${tooLate}` })
      return model.stream(request)
    }
    return { ...options, model: { ...model, stream }, tools }
  }

  /** Notes lost answers: a call must not wait if the store has a decision for its suspension. */
  async #noteIgnored(store: Store, { suspended }: RunResult): Promise<void> {
    const rows = await store.inbox(runId, { kinds: ['decision'] })
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

  async #remains(): Promise<Omit<Trial, 'writes'>> {
    const store = await this.#storage.reopen()
    const stored = await store.read(runId)
    const { record, log } = stored
    const isKept = this.#original === undefined || (await isAsItWas(this.#original, store))
    if (!isKept) this.#note('original', 'The run that was begun from is no longer stored as it was.')
    const unseen = await store.inbox(runId, { isOpen: true })
    for (const { item } of unseen) this.#note('lost', `A row of kind "${item.kind}" was never taken in.`)
    this.#judgeSaid(stored)
    await this.#noteRefused(store, stored)
    const { status, doneReason, code, error } = record
    const calls = (await store.calls(runId)).map(({ record: call }) => [call.callId, call.status])
    return {
      transcript: messagesOf(log).map((message) => ({ ...message, timestamp: 0 })),
      ending: withPlainHolds({ status, doneReason, code, error, calls }),
      effects: this.#state.effects,
      onceTools: this.#onceTools,
      takeovers: this.#log.takeovers,
      interruptions: this.#interruptions,
      problems: this.#problems,
    }
  }

  /** Checks that every message is in the transcript, or is listed as undelivered. */
  #judgeSaid(stored: StoredRun): void {
    const { undelivered = [] } = standingOf(runId, storedFacts(stored))
    const heard = [...messagesOf(stored.log), ...undelivered].map(wordsOf)
    const { refused } = this.#scenario
    const isRefused = (text: string) => refused !== undefined && text.includes(refused)
    this.#problems.push(...judgeSaid(this.#log.said, heard, isRefused))
  }

  async #noteRefused(store: Store, stored: StoredRun): Promise<void> {
    const { refused, prompt = '', goesOnWith = prompt } = this.#scenario
    if (refused === undefined || !goesOnWith.includes(refused)) return
    const checkpoints = await store.checkpoints(runId)
    const before = await Promise.all(checkpoints.map(({ version }) => store.checkpoint(runId, version)))
    if (JSON.stringify([stored, before, await store.inbox(runId, { isOpen: true })]).includes(refused))
      this.#note('kept', 'The store holds a prompt that a filter refused.')
  }
}

const tooLate = 'was reached by a process that had been stopped, after another had finished the run.'

/** Waits for the outside work of a stopped process; each call of a trial takes one turn of the event loop. */
async function underWay(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Answers interrupted calls: supplies the result of an effect that happened, and replays the other calls. */
async function answerInterrupted(run: Run, { suspended }: RunResult, environment: CrashEnvironment): Promise<boolean> {
  const interrupted = suspended.filter(({ suspension }) => suspension?.reason === 'interrupted')
  for (const { callId } of interrupted) {
    const known = environment.resultOf(callId)
    if (known === undefined) await run.decide([{ target: callId, action: 'resume', mode: 'replay' }])
    else await run.respond(callId, known)
  }
  return interrupted.length > 0
}

async function isKnown(store: Store): Promise<boolean> {
  return (await ifStored(store.record(runId))) !== undefined
}
