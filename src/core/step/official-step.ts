import { type AnyActorRef, type AnyStateMachine, createActor } from 'xstate'
import { isMachineState, type MachineState } from './actor-state.ts'
import type { Effect, Outbox, Told } from './effect-logic.ts'
import type { AskedEffect, Step, StepOptions } from './step-system.ts'
import type { ChartEvent } from './xstate-parts.ts'

/**
 * The same step by XState's own actors. The tables are compared with it, and it steps charts that the tables do not
 * support. Its actors live on between two steps, so it can continue only from its latest state.
 */
export class OfficialStep implements Step {
  readonly #machine: AnyStateMachine
  readonly #outboxes: OutboxBySystem
  readonly #options: StepOptions
  readonly #asked = new Map<string, Effect>()
  /** The live calls, each with its last reported snapshot. */
  readonly #calls = new Map<AnyActorRef, unknown>()
  #root: AnyActorRef | undefined

  constructor(machine: AnyStateMachine, outboxes: OutboxBySystem, options: StepOptions) {
    this.#machine = machine
    this.#outboxes = outboxes
    this.#options = options
  }

  begin(input: unknown): MachineState {
    return this.#start({ input })
  }

  load(stored: MachineState): MachineState {
    return this.#start({ snapshot: stored })
  }

  send(state: MachineState, event: ChartEvent): MachineState {
    const root = this.#rootOf()
    if (root.getSnapshot().status !== 'active') return state
    root.send(event)
    return this.#stateOf(root)
  }

  complete(state: MachineState, { key }: Pick<AskedEffect, 'path' | 'key'>, output: unknown): MachineState {
    const effect = this.#asked.get(key)
    if (effect === undefined) return state
    this.#asked.delete(key)
    effect.actor.send({ type: 'effect.completed', output })
    return this.#stateOf(this.#rootOf())
  }

  #start(given: { readonly input?: unknown; readonly snapshot?: unknown }): MachineState {
    const outbox = this.#outbox()
    const { inspect } = this.#options
    this.#outboxes.expect(outbox)
    const root: AnyActorRef = createActor(this.#machine, {
      ...(given as object),
      ...(inspect === undefined ? {} : { inspect: inspect as never }),
    })
    this.#outboxes.tie(root.system, outbox)
    // Without an observer XState throws errors where nothing can catch them.
    root.subscribe({ error: () => {} })
    const made = root.getSnapshot() as { readonly status: string; readonly error?: unknown }
    if (given.snapshot !== undefined && made.status === 'error') throw made.error
    root.start()
    this.#root = root
    return this.#stateOf(root)
  }

  #outbox(): Outbox {
    const { tell, keyFor, shown } = this.#options
    const told = shown as Told
    return {
      keyFor,
      record: (writes) => told.record(writes),
      checkpoint: (name) => {
        this.#tellMoved()
        told.checkpoint(name)
      },
      announce: (announcement) => {
        this.#tellMoved()
        told.announce(announcement)
      },
      add: (effect) => {
        const { key, src, input, isRestored, actor } = effect
        this.#asked.set(key, effect)
        tell({ kind: 'asked', effect: { key, src, input, path: pathOf(actor), isRestored } })
      },
      withdraw: (key) => {
        if (this.#asked.delete(key)) tell({ kind: 'withdrawn', key })
      },
      started: (call) => {
        // Without an observer XState throws errors where nothing can catch them.
        call.subscribe({ error: () => {} })
        this.#calls.set(call, undefined)
      },
    }
  }

  #rootOf(): AnyActorRef {
    if (this.#root === undefined) throw new Error('A step was taken before the state was started or loaded.')
    return this.#root
  }

  #stateOf(root: AnyActorRef): MachineState {
    this.#tellMoved()
    return root.getPersistedSnapshot() as unknown as MachineState
  }

  /** Reports each call with a new state, so that a move is known before its consequences. */
  #tellMoved(): void {
    for (const [actor, before] of this.#calls) {
      const { id, src } = actor
      const snapshot = actor.getSnapshot() as { readonly status: string }
      if (snapshot === before) continue
      if (snapshot.status === 'active') this.#calls.set(actor, snapshot)
      else this.#calls.delete(actor)
      const state = actor.getPersistedSnapshot() as unknown as MachineState
      if (typeof src === 'string' && isMachineState(state)) this.#options.tell({ kind: 'moved', id, src, state })
    }
  }
}

function pathOf(actor: AnyActorRef): readonly string[] {
  const path: string[] = []
  for (let at: AnyActorRef | undefined = actor; at?._parent !== undefined; at = at._parent) path.unshift(at.id)
  return path
}

/** The outbox of each actor system, so that all runs share one machine: building it costs more than a short run. */
export class OutboxBySystem {
  readonly #outboxes = new WeakMap<object, Outbox>()
  #next: Outbox | undefined

  /** Announces the outbox of the actor about to be created, for what it requests during its creation. */
  expect(outbox: Outbox): void {
    this.#next = outbox
  }

  /** Ties an actor system to its outbox, once its root has been made. */
  tie(system: object, outbox: Outbox): void {
    this.#outboxes.set(system, outbox)
    this.#next = undefined
  }

  of(system: object): Outbox {
    const outbox = this.#outboxes.get(system) ?? this.#next
    if (outbox === undefined) throw new Error('An actor was made before its outbox was announced.')
    return outbox
  }
}
