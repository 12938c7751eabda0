import type { AnyStateMachine } from 'xstate'
import * as is from '../../core/domain/text/option-shape.ts'
import { isRecord } from '../../core/domain/text/json.ts'
import type { Secret } from '../../core/domain/text/redactor.ts'
import { type ShowValue, valueShower } from '../../core/domain/text/shown-value.ts'
import type { InspectedEvent, InspectObserver } from '../../core/ports/inspect.ts'
import { machineConfig } from '../../../machines/index.ts'
import { type ActorIdentity, identify, type InspectedActor, machineOf } from './inspected-actor.ts'
import { type InspectorMessage, protocolVersion, type ShownEvent, type ShownSnapshot } from './inspector-message.ts'
import { functionSender, type MessageSender } from './message-sender.ts'
import { QueueSender } from './queue-sender.ts'
import { wireTo } from './wires.ts'

/** Options of an inspector: its receiver and its secrets. */
export interface StatelyInspectorOptions {
  /** A receiver on this machine: `ws://127.0.0.1:8080` (`createInspectorServer`), or the `url` of a relay. */
  readonly url?: string
  /** Receives each complete message, instead of `url`. */
  readonly send?: (message: InspectorMessage) => unknown
  /** An inspector of `@statelyai/inspect`, instead of `url`: messages go to its `adapter.send`. */
  readonly inspector?: { readonly adapter: { send(message: never): unknown } }
  /** Secrets to mask by their values. Secrets with a known field name or format are always masked. */
  readonly secrets?: readonly Secret[]
}

/** An observer for the `inspect` option of an agent or an actor. */
export interface StatelyInspector extends Required<Pick<InspectObserver, 'next'>>, AsyncDisposable {
  /** The number of sent messages, and of messages dropped because of their receiver. */
  readonly counts: { readonly sent: number; readonly dropped: number }
  /** Sends the waiting messages and disconnects from the receiver. */
  close(): Promise<void>
}

/**
 * Shows runs in the Stately inspector while they are driven: the run, its model calls and its tool calls, for durable
 * runs and for `createActor(agent.machine)`. An actor's name is the run's id with its path, also after a restart. A
 * slow or missing receiver never delays a run. Throws a `UsageError` `bad_option` for an address of another machine.
 *
 * @example
 * const inspector = statelyInspector({ url: 'ws://127.0.0.1:8080' })
 * const agent = createAgent({ name: 'clerk', model, inspect: inspector })
 */
export function statelyInspector(options: StatelyInspectorOptions): StatelyInspector {
  is.checkOptions('statelyInspector', options, shape)
  return new Inspector(senderOf(options), valueShower(options.secrets ?? []))
}

const shape = {
  url: is.optional(is.filledText),
  send: is.optional(is.callback),
  inspector: is.optional(() => {}),
  secrets: is.optional(is.listOf(is.options<Secret>({ name: is.filledText, value: is.filledText }))),
}

function senderOf({ url, send, inspector }: StatelyInspectorOptions): MessageSender {
  if (send !== undefined) return functionSender(send)
  if (inspector !== undefined) return functionSender((message) => inspector.adapter.send(message as never))
  return new QueueSender(wireTo(url ?? 'ws://127.0.0.1:8080'), () => Date.now())
}

/** The maximum number of remembered displayed events that have not led to a snapshot yet. */
const mostSent = 100

interface Known {
  readonly identity: ActorIdentity
  readonly actor: InspectedActor
  snapshot: ShownSnapshot
}

class Inspector implements StatelyInspector {
  readonly #sender: MessageSender
  readonly #show: ShowValue
  readonly #known = new Map<string, Known>()
  readonly #defined = new Set<string>()
  readonly #passed = new WeakMap<InspectedActor, string[]>()
  /** The displayed form of events at the time of their sending. */
  readonly #shownWhenSent = new Map<object, ShownEvent>()
  /** A new actor, whose run may be unknown until the next event. */
  #made: InspectedEvent | undefined
  #number = 0
  #sent = 0
  #dropped = 0

  constructor(sender: MessageSender, show: ShowValue) {
    this.#sender = sender
    this.#show = show
    this.next = this.next.bind(this)
  }

  get counts(): StatelyInspector['counts'] {
    return { sent: this.#sent - this.#sender.lost, dropped: this.#dropped + this.#sender.lost }
  }

  next(event: InspectedEvent): void {
    const made = this.#made
    this.#made = undefined
    if (made !== undefined) this.#tellMade(made)
    switch (event.type) {
      case '@xstate.actor':
        this.#made = event
        break
      case '@xstate.event':
        this.#tellEvent(event)
        break
      case '@xstate.microstep':
        this.#pass(event)
        break
      case '@xstate.snapshot':
        this.#tellSnapshot(event)
    }
  }

  async close(): Promise<void> {
    const made = this.#made
    this.#made = undefined
    if (made !== undefined) this.#tellMade(made)
    await this.#sender.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #tellMade({ actorRef, runId }: InspectedEvent): void {
    const actor: InspectedActor = actorRef
    const identity = identify(actor, runId)
    const known: Known = { identity, actor, snapshot: { status: 'active' } }
    this.#known.set(identity.id, known)
    if (this.#isReady()) this.#tellActor(known)
  }

  #tellActor({ identity, actor, snapshot }: Known): void {
    const { id, parentId, rootId, name } = identity
    const definition = this.#definitionOf(actor, name)
    this.#send({
      type: '@xstate.actor',
      name,
      ...this.#head(id, rootId),
      ...(parentId === undefined ? {} : { parentId }),
      ...(definition === undefined ? {} : { definition }),
      snapshot,
    })
  }

  /** Returns the definition once per chart; later actors refer to it by the chart's name. */
  #definitionOf(actor: InspectedActor, name: string): string | undefined {
    const machine = machineOf(actor)
    if (machine === undefined || this.#defined.has(name)) return undefined
    this.#defined.add(name)
    return definitionOf(machine)
  }

  #tellEvent(event: InspectedEvent & { readonly sourceRef?: unknown }): void {
    if (!this.#isReady()) return
    const { id, rootId } = identify(event.actorRef, event.runId)
    const source = isActor(event.sourceRef) ? identify(event.sourceRef, event.runId).id : undefined
    const shown = this.#shownEvent(event.event)
    this.#keepShown(event.event, shown)
    this.#send({
      type: '@xstate.event',
      ...this.#head(id, rootId),
      ...(source === undefined ? {} : { sourceId: source }),
      event: shown,
    })
  }

  #pass({ actorRef, snapshot }: InspectedEvent): void {
    const passed = this.#passed.get(actorRef)
    const text = placeText(fieldIn(snapshot, 'value'))
    if (passed === undefined) this.#passed.set(actorRef, [text])
    else passed.push(text)
  }

  #tellSnapshot({ actorRef, runId, event, snapshot }: InspectedEvent): void {
    const identity = identify(actorRef, runId)
    const { id, rootId } = identity
    const passes = this.#passed.get(actorRef) ?? []
    this.#passed.delete(actorRef)
    const isReady = this.#isReady()
    const found = fieldIn(snapshot, 'status')
    const status = typeof found === 'string' ? found : 'active'
    const isOver = status !== 'active' || event?.type === 'xstate.stop'
    const shown = isReady || !isOver ? this.#shownSnapshot(snapshot, status, isReady) : undefined
    if (shown !== undefined && isReady)
      this.#send({
        type: '@xstate.snapshot',
        ...this.#head(id, rootId),
        event: this.#stepEvent(event, passes),
        snapshot: shown,
      })
    if (isOver) this.#known.delete(id)
    else if (shown !== undefined) this.#known.set(id, { identity, actor: actorRef, snapshot: shown })
  }

  #shownSnapshot(snapshot: unknown, status: string, isWhole: boolean): ShownSnapshot {
    const shown: { -readonly [name in keyof ShownSnapshot]: ShownSnapshot[name] } = { status }
    for (const name of isWhole ? shownParts : statesAlone) {
      const field = fieldIn(snapshot, name)
      if (field !== undefined) shown[name] = this.#show(field)
    }
    return shown
  }

  /** Remembers an event's displayed form. Some events are never looked up, so the map is limited. */
  #keepShown(event: InspectedEvent['event'], shown: ShownEvent): void {
    if (event === undefined) return
    if (this.#shownWhenSent.size >= mostSent) this.#shownWhenSent.clear()
    this.#shownWhenSent.set(event, shown)
  }

  /** Returns the event of a snapshot as it was when it was sent, because its receiver may have changed it since. */
  #stepEvent(event: InspectedEvent['event'], passes: readonly string[]): ShownEvent {
    const sent = event === undefined ? undefined : this.#shownWhenSent.get(event)
    const shown = sent ?? this.#shownEvent(event)
    return passes.length === 0 ? shown : { ...shown, passes }
  }

  #shownEvent(event: InspectedEvent['event']): ShownEvent {
    const shown = this.#show(event ?? {})
    return { ...(isRecord(shown) ? shown : {}), type: event?.type ?? '' }
  }

  #head(sessionId: string, rootId: string) {
    const id = String(++this.#number)
    return { sessionId, rootId, createdAt: String(Date.now()), id, _version: protocolVersion }
  }

  /** Returns true if the receiver accepts messages; sends the complete state to a receiver that is back. */
  #isReady(): boolean {
    const ready = this.#sender.ready()
    if (ready === 'no') this.#dropped++
    if (ready === 'again') {
      this.#defined.clear()
      for (const known of this.#known.values()) this.#tellActor(known)
    }
    return ready !== 'no'
  }

  #send(message: InspectorMessage): void {
    if (this.#sender.send(message)) this.#sent++
    else this.#dropped++
  }
}

const statesAlone = ['value'] as const
const shownParts = ['value', 'context', 'output', 'error', 'input'] as const

const definitions = new WeakMap<object, string>()

/** Returns a machine's definition; the text is cached for all inspectors of a process. */
function definitionOf({ config }: AnyStateMachine): string {
  const known = definitions.get(config)
  if (known !== undefined) return known
  // The first context may hold anything; it is shown with the snapshots.
  const text = JSON.stringify(machineConfig({ config: { ...config, context: undefined } }))
  definitions.set(config, text)
  return text
}

function isActor(value: unknown): value is InspectedActor {
  return typeof value === 'object' && value !== null && 'sessionId' in value && typeof value.sessionId === 'string'
}

function fieldIn(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

const places = new WeakMap<object, string>()

/** Returns a state value's text, cached because charts reach the same values repeatedly. */
function placeText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return stateText(value)
  const known = places.get(value)
  if (known !== undefined) return known
  const text = stateText(value)
  places.set(value, text)
  return text
}

/** Returns a state value in one line: `running.turn.callingModel`. */
function stateText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value : ''
  return Object.entries(value)
    .map(([key, inner]) => [key, stateText(inner)].filter((part) => part !== '').join('.'))
    .join(' | ')
}
