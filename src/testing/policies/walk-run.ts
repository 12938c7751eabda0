import { createAgent } from '../../core/agent/create-agent.ts'
import type { Run } from '../../core/agent/run.ts'
import type { CallRecord } from '../../core/domain/call.ts'
import type { AssistantMessage } from '../../core/domain/message.ts'
import type { InboxRow } from '../../core/domain/inbox.ts'
import { wake } from '../../core/family/deliver-ends.ts'
import { noUsage } from '../../core/domain/usage.ts'
import { StoreError } from '../../core/domain/store-error.ts'
import type { Store, StoredRun } from '../../core/ports/store.ts'
import { answerService } from '../paths/answer-service.ts'
import type { TestedAgent } from '../paths/agent-under-test.ts'
import { sampleOf } from '../paths/sample-of.ts'
import { eventsOf } from '../recordings/read-recording.ts'
import { type Journal, type JournalStore, openJournal } from './journal.ts'
import { type Beginning, type LoggedSteps, stepsIn } from './log-steps.ts'
import type { PolicyCall, PolicyMove } from './policy-script.ts'
import { pricedModel, stubAgent } from './stub-agent.ts'

const runId = 'proof'
const leaseMs = 1_000

/** A run between two moves, with the content of its store and the script's facts about its calls. */
export interface WalkedRun {
  readonly journal: Journal
  readonly beginnings: readonly Beginning[]
  readonly calls: ReadonlyMap<string, PolicyCall>
  /** The approvals for the whole run, as tool, rule and person. */
  readonly grants: readonly string[]
  /** The number of ids that the processes have used. */
  readonly ids: number
}

/** The run before its start. */
export const beforeStart: WalkedRun = { journal: [], beginnings: [], calls: new Map(), grants: [], ids: 0 }

/** A resting state of a run, with the content of its store. */
export interface Rest {
  readonly at: 'model' | 'wait' | 'crash' | 'done'
  readonly run: WalkedRun
  readonly stored: StoredRun | undefined
  readonly waiting: readonly CallRecord[]
  /** The unprocessed rows of the inbox. */
  readonly inbox: readonly InboxRow[]
  readonly logged: LoggedSteps
}

/** Makes one move of a run in its own process, up to the next model request, a wait, the end or the crash. */
export async function makeMove(agent: TestedAgent, from: WalkedRun, move: PolicyMove | undefined): Promise<Rest> {
  return new Walker(agent, from, move).walk()
}

/**
 * Returns the states that a process leaves if it dies right after a write of a move, by the number of the write. The
 * journal of `to` begins with that of `from`. Equal states are left out.
 */
export async function restsAfterWrites(
  agent: TestedAgent,
  from: WalkedRun,
  to: WalkedRun,
): Promise<readonly (readonly [number, Rest])[]> {
  const { store, clock } = await openJournal(from.journal)
  const last = to.journal.findLastIndex(({ changesRun }) => changesRun)
  const rests: (readonly [number, Rest])[] = []
  for (let index = from.journal.length; index < last; index++) {
    const { at, again, changesRun } = to.journal[index] ?? {}
    clock.advance((at ?? 0) - clock.now())
    await again?.(store)
    if (changesRun !== true) continue
    const run = { ...to, journal: to.journal.slice(0, index + 1) }
    rests.push([index + 1 - from.journal.length, await restOf(agent, store, run, 'crash', [])])
  }
  return rests
}

async function restOf(
  { tools }: TestedAgent,
  store: Store,
  run: WalkedRun,
  at: Rest['at'],
  waiting: readonly CallRecord[],
): Promise<Rest> {
  const isStored = (await store.list()).length > 0
  if (!isStored) return { at, run, stored: undefined, waiting, inbox: [], logged: stepsIn([], [], tools) }
  const beginnings = run.beginnings.filter(({ writes }) => writes <= run.journal.length)
  const logged = stepsIn(await eventsOf(store, runId), beginnings, tools)
  const inbox = await store.inbox(runId, { isOpen: true })
  return { at, run: { ...run, beginnings }, stored: await store.read(runId), waiting, inbox, logged }
}

/** Thrown in place of an answer that the move does not have. */
class Asked extends Error {}

class Walker {
  readonly #agent: TestedAgent
  readonly #from: WalkedRun
  readonly #move: PolicyMove | undefined
  readonly #beginnings: Beginning[]
  readonly #calls: Map<string, PolicyCall>
  readonly #asked = Promise.withResolvers<'model'>()
  #grants: readonly string[]
  #ids: number
  #hasAnswered = false

  constructor(agent: TestedAgent, from: WalkedRun, move: PolicyMove | undefined) {
    this.#agent = agent
    this.#from = from
    this.#move = move
    this.#beginnings = [...from.beginnings]
    this.#calls = new Map(from.calls)
    this.#grants = from.grants
    this.#ids = from.ids
  }

  async walk(): Promise<Rest> {
    const { journal } = this.#from
    const opened = await openJournal(journal, this.#move?.crash)
    await opened.free()
    const agent = createAgent({
      ...stubAgent(this.#agent, {
        answer: () => this.#answer(opened),
        calls: () => this.#calls,
        ends: () => this.#move?.kind === 'model' && this.#move.ends === true,
        performing: (callId) => this.#perform(opened, callId),
      }),
      store: opened.store,
      clock: opened.clock,
      ids: { next: (prefix) => `${prefix}_${++this.#ids}` },
      leaseMs,
    })
    let waiting: readonly CallRecord[] = []
    const driven = async (): Promise<Rest['at']> => {
      const isStored = (await opened.store.list()).length > 0
      const run = isStored ? await agent.load(runId) : agent.start('Go.', { runId })
      if (this.#move?.kind === 'person') await this.#answerWait(run, opened)
      const result = await run.settled()
      waiting = result.suspended
      return result.status === 'done' ? 'done' : 'wait'
    }
    const rest = driven().catch((error: unknown): Rest['at'] => {
      if (isDeath(error)) return 'crash'
      throw error
    })
    const at = await Promise.race([rest, this.#asked.promise])
    const written = [...opened.written]
    opened.die()
    await rest.catch(() => undefined)
    await agent.close().catch(() => undefined)
    const run = {
      journal: written,
      beginnings: this.#beginnings,
      calls: this.#calls,
      grants: this.#grants,
      ids: this.#ids,
    }
    return restOf(this.#agent, opened.store, run, at, waiting)
  }

  #answer(opened: JournalStore): AssistantMessage {
    const move = this.#move
    if (move?.kind !== 'model' || this.#hasAnswered) {
      opened.die()
      this.#asked.resolve('model')
      throw new Asked('The script has no answer.')
    }
    this.#hasAnswered = true
    const content = move.calls.map((call) => {
      const id = `c${this.#calls.size + 1}`
      this.#calls.set(id, call)
      return { type: 'toolCall' as const, id, name: call.tool, arguments: call.arguments }
    })
    const { cost = 0 } = move
    return {
      role: 'assistant',
      content: content.length === 0 ? [{ type: 'text', text: 'Done.' }] : content,
      stopReason: content.length === 0 ? 'stop' : 'toolUse',
      provider: pricedModel.provider,
      model: pricedModel.id,
      usage: { ...noUsage, input: cost, totalTokens: cost },
      timestamp: 0,
    }
  }

  async #perform({ store, written }: JournalStore, callId: string): Promise<void> {
    const after = (await store.entries(runId, 0, 1_000_000)).at(-1)?.seq ?? 0
    const call = (await store.calls(runId)).find(({ record }) => record.callId === callId)?.record
    const edited = call?.editedArguments
    this.#beginnings.push({ callId, after, writes: written.length, ...(edited === undefined ? {} : { edited }) })
  }

  async #answerWait(run: Run, opened: JournalStore): Promise<void> {
    const move = this.#move
    if (move?.kind !== 'person') return
    const { does, by, input = null } = move
    if (does === 'cancel the run') return void (await run.cancel())
    const call = (await waitingIn(opened.store))[move.call]
    if (call === undefined) return
    const { callId: target, toolName, resumeMode, suspension } = call
    const whose = by === undefined ? {} : { by }
    const tool = this.#agent.tools.find(({ name }) => name === toolName)
    const value = tool?.output === undefined ? 'A person answered.' : sampleOf(tool.output)
    if (does === 'let the time pass')
      return opened.clock.advance(Math.max(0, (suspension?.expiresAt ?? 0) - opened.clock.now()) + 1)
    if (does === 'deny') return void (await run.decide([{ target, action: 'cancel', ...whose }]))
    if (does === 'edit') return void (await run.decide([{ target, action: 'resume', mode: 'replay', input, ...whose }]))
    if (does === 'respond')
      return void (await run.decide([{ target, action: 'resume', mode: 'use-as-result', result: value, ...whose }]))
    if (does === 'answer as the service' || does === 'fail as the service') {
      const outcomes = new Map(does === 'fail as the service' ? [[target, 'answers with an error' as const]] : [])
      return void (await answerService(run, opened, call, { agent: this.#agent, outcomes, store: opened.store }))
    }
    if (does === 'end as the sub-agent' || does === 'fail as the sub-agent') {
      const chosen = this.#calls.get(call.toolCallId)
      if (chosen !== undefined) this.#calls.set(call.toolCallId, { ...chosen, fails: does === 'fail as the sub-agent' })
      return void (await wake(opened.store, runId, target, suspension?.id ?? target, opened.clock.now()))
    }
    const scope = does === 'approve for the run' ? { scope: 'run' as const } : {}
    if (scope.scope !== undefined)
      this.#grants = [...new Set([...this.#grants, [toolName, suspension?.rule, by].join(' ')])].toSorted()
    const given = this.#calls.get(call.toolCallId)?.arguments ?? {}
    const result =
      resumeMode === 'pass-to-tool' ? { result: given } : resumeMode === 'use-as-result' ? { result: value } : {}
    await run.decide([{ target, action: 'resume', ...(call.isHold === true ? {} : result), ...scope, ...whose }])
  }
}

/** Returns the calls that wait, in the order of their slots. */
async function waitingIn(store: Store): Promise<readonly CallRecord[]> {
  const calls = (await store.calls(runId)).map(({ record }) => record)
  return calls.filter(({ status }) => status === 'suspended')
}

function isDeath(error: unknown): boolean {
  if (error instanceof StoreError && error.code === 'store_unavailable') return true
  return error instanceof Error && error.cause !== undefined && isDeath(error.cause)
}
