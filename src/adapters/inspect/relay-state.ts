import { createMachine } from 'xstate'
import { drawSvg, readChart } from '../../../machines/index.ts'
import { isRecord } from '../../core/domain/text/json.ts'
import { jsonIn, parseJson } from '../../core/domain/text/parse-json.ts'

/** The maximum numbers of actors and messages that a new page receives. */
const mostActors = 500
const mostMessages = 1_000

const mostCharts = 50

const longestDefinition = 500_000
const mostStates = 500

/** The messages that a relay stores, as texts. */
export class RelayState {
  readonly #actors = new Map<string, { readonly actor: string; snapshot?: string }>()
  readonly #charts = new Map<string, string>()
  #messages: string[] = []

  /** Processes a line; returns the text to forward, or undefined for an invalid message. */
  take(line: string): string | undefined {
    const message = readMessage(line)
    if (message === undefined) return undefined
    const { type, sessionId, name, definition } = message
    const known = this.#actors.get(sessionId)
    if (type === '@xstate.actor') {
      if (typeof definition === 'string' && typeof name === 'string') this.#draw(name, definition)
      this.#actors.delete(sessionId)
      this.#actors.set(sessionId, { actor: line })
      drop(this.#actors, mostActors)
    } else if (type === '@xstate.snapshot' && known !== undefined) known.snapshot = line
    this.#messages.push(line)
    if (this.#messages.length > 2 * mostMessages) this.#messages = this.#messages.slice(-mostMessages)
    return line
  }

  /** Returns the messages for a new page: the current state of each actor, then the last messages. */
  standing(): readonly string[] {
    const recent = new Set(this.#messages.slice(-mostMessages))
    const older = [...this.#actors.values()].flatMap(({ actor, snapshot }) => [
      actor,
      ...((snapshot ?? '') ? [snapshot ?? ''] : []),
    ])
    return [...older.filter((line) => !recent.has(line)), ...recent]
  }

  chart(name: string): string | undefined {
    return this.#charts.get(name)
  }

  #draw(name: string, definition: string): void {
    if (definition.length > longestDefinition) return
    try {
      const chart = readChart(createMachine(parseJson(definition) as never))
      if (chart.states.length > mostStates) return
      this.#charts.delete(name)
      this.#charts.set(name, drawSvg(chart))
      drop(this.#charts, mostCharts)
    } catch {
      // An invalid definition has no drawing; the page shows its states as text.
    }
  }
}

interface Message {
  readonly type: string
  readonly sessionId: string
  readonly name?: unknown
  readonly definition?: unknown
}

function readMessage(line: string): Message | undefined {
  const message = jsonIn(line)
  return isRecord(message) && isMessage(message) ? message : undefined
}

function isMessage(message: object): message is Message {
  return (
    'type' in message &&
    'sessionId' in message &&
    typeof message.sessionId === 'string' &&
    String(message.type).startsWith('@xstate.')
  )
}

function drop(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
