import { type CallRecord, isTerminal } from '../../core/domain/call.ts'
import type { Decision } from '../../core/domain/decision.ts'
import type { Run } from '../../core/agent/run.ts'
import type { SeenRun } from './seen-run.ts'
import type { World } from './world.ts'

/** An act of a person on a run. */
type Deed = (run: Run) => Promise<unknown>

const names = ['Ann', 'Bob'] as const

/** A call that has not ended, and its run. */
type OpenCall = CallRecord & { readonly runId: string }

/** People who answer calls of runs: late, twice, differently, from two places, and before they are asked. */
export class People<Outside> {
  readonly #world: World<Outside>
  /** Those who look at the next commit of that version. */
  readonly #awaited: { readonly runId: string; readonly version: number }[] = []
  /** True in worlds in which people answer before they are asked, if they can. */
  readonly #areEarly: boolean
  #visits = 0

  constructor(world: World<Outside>) {
    this.#world = world
    this.#areEarly = world.choices.chance(0.7)
    world.ledger.onCommit = (run) => this.#heard(run)
  }

  /** True once everybody has done what they came for. */
  get isDone(): boolean {
    return this.#visits === 0
  }

  /** Has somebody look at a run, some time later or at a commit of the run, and do something about it. */
  visit(runId: string): void {
    const { choices, scheduler } = this.#world
    const commit = choices.pick(10)
    if (commit > 0) return void this.#awaited.push({ runId, version: commit + 1 })
    this.#visits++
    void scheduler.wait(choices.pick(3000)).then(async () => {
      await this.#look(runId)
      this.#visits--
    })
  }

  /** Lets those look who waited for this commit. */
  #heard({ id, version }: SeenRun): void {
    const ready = this.#awaited.filter((one) => one.runId === id && one.version === version)
    for (const one of ready) {
      this.#awaited.splice(this.#awaited.indexOf(one), 1)
      void this.#look(id)
    }
  }

  async #look(runId: string): Promise<void> {
    const { choices, scheduler } = this.#world
    await scheduler.wait(choices.pick(12))
    const open = await this.#openCalls(runId)
    const early = open.filter(({ status }) => status !== 'suspended')
    const call = choices.among(this.#areEarly && early.length > 0 ? early : open)
    const about = call?.runId ?? runId
    for (const [who, deed] of this.#deeds(about, call)) {
      await scheduler.wait(choices.pick(choices.of(1, 6, 6, 40, 500, 1000)))
      this.#act(about, who, deed)
    }
  }

  /** Answers every suspended call that has no answer. */
  async answerAll(runId: string): Promise<void> {
    for (const call of await this.#openCalls(runId)) {
      if (call.status !== 'suspended' || call.suspension?.reason === 'subAgent') continue
      const isNo = call.suspension?.reason !== 'interrupted' && this.#world.choices.chance(0.3)
      const decision = isNo ? no(call.callId, 'Ann') : this.#yes(call, 'Ann')
      this.#act(call.runId, 'Ann', (run) => run.decide([decision]))
    }
  }

  /** The open calls of a run and of its members, but for those that a service answers. */
  async #openCalls(root: string): Promise<readonly OpenCall[]> {
    const found: OpenCall[] = []
    for (const { id: runId, root: own } of this.#world.ledger.runs.values()) {
      if (own !== root) continue
      for (const { record } of await this.#world.store.calls(runId))
        if (!isTerminal(record.status) && record.suspension?.reason !== 'service') found.push({ ...record, runId })
    }
    return found
  }

  #deeds(runId: string, call: OpenCall | undefined): readonly (readonly [string, Deed])[] {
    const { choices } = this.#world
    const who = choices.of(...names)
    const kind = choices.chance(0.4) ? choices.of('steer', 'followUp', 'cancelCall', 'cancelCall', 'cancel') : 'decide'
    if (kind === 'steer') return [[who, (run) => run.steer(`${who} says ${this.#world.ids.next('word')}.`)]]
    if (kind === 'followUp') return [[who, (run) => run.followUp(`${who} adds ${this.#world.ids.next('word')}.`)]]
    if (kind === 'cancel' && choices.chance(0.3)) return [[who, (run) => run.cancel(`${who} wants it ended.`)]]
    if (call === undefined) return []
    const { callId } = call
    if (kind === 'cancelCall') return [[who, (run) => run.cancelCall(callId)]]
    const other = who === 'Ann' ? 'Bob' : 'Ann'
    const first = choices.chance(0.4) ? no(callId, who) : this.#yes(call, who)
    const second = first.action === 'cancel' ? this.#yes(call, other) : no(callId, other)
    const hand = (by: string, ...given: readonly Decision[]): readonly [string, Deed] => [
      by,
      (run) => run.decide(given),
    ]
    const answers = [hand(who, first), hand(other, second), hand(who, first), hand(other, second)]
    if (choices.chance(0.2)) return [hand(who, first), hand(who, first)]
    if (choices.chance(0.3)) return [hand(who, first, second)]
    return answers.slice(0, choices.of(1, 2, 2, 3, 4))
  }

  /** A yes; for a call whose process died, the result that is to be seen outside, if there is one. */
  #yes({ runId, callId, suspension }: OpenCall, by: string): Decision {
    if (suspension?.reason !== 'interrupted') return { target: callId, action: 'resume', by }
    const done = this.#world.ledger.performances.find(
      (one) => one.runId === runId && one.callId === callId && one.result !== undefined,
    )
    if (done?.result === undefined) return { target: callId, action: 'resume', mode: 'replay', by }
    return { target: callId, action: 'resume', mode: 'use-as-result', result: done.result, by }
  }

  /** Does something in a process that lives, which may die meanwhile. */
  #act(runId: string, who: string, deed: Deed): void {
    const { choices, ledger } = this.#world
    const program = choices.among(this.#world.programs)
    if (program === undefined || !ledger.runs.has(runId)) return
    const isResuming = choices.chance(0.3)
    void (async () => {
      const record = await this.#world.store.record(runId)
      const [root] = record.agent.split('/')
      const agent = program.agents.find(({ name }) => name === root)
      if (agent === undefined) return
      this.#world.tell(who, `turns to ${program.process.name} about ${runId}`, { runId, isMinor: true })
      await deed(await agent.load(runId))
      if (isResuming) await agent.resume(runId)
    })().catch(() => undefined)
  }
}

function no(callId: string, by: string): Decision {
  return { target: callId, action: 'cancel', reason: `${by} says no.`, by }
}
