import type { InspectedEvent } from '../../../ports.ts'

/** Tells where the chart of a run stands, in the words of the chart: `turn: calling model`. */
export class ChartState {
  /** Empty while no chart has told. */
  text = ''
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** For `inspect` of an agent: hears every actor, and notes the states of the run's own. */
  readonly inspect = ({ type, actorRef, rootId, snapshot }: InspectedEvent): void => {
    if (type !== '@xstate.snapshot' || actorRef.sessionId !== rootId) return
    const text = stateWords(valueOf(snapshot))
    if (text === '' || text === this.text) return
    this.text = text
    this.#changed()
  }
}

/** The two innermost names of a state value, as words. */
function stateWords(value: unknown): string {
  return pathOf(value)
    .slice(-2)
    .map((name) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
    .join(': ')
}

/** Names from the outermost to the innermost; of states beside one another the first. */
function pathOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  const [entry] = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return entry === undefined ? [] : [entry[0], ...pathOf(entry[1])]
}

function valueOf(snapshot: unknown): unknown {
  return typeof snapshot === 'object' && snapshot !== null && 'value' in snapshot ? snapshot.value : undefined
}
