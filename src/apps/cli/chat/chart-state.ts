import type { InspectedEvent } from '../../../ports.ts'

/** Tracks the state of a run's chart as text: `turn: calling model`. */
export class ChartState {
  /** The state; empty before the first report. */
  text = ''
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** The `inspect` option of an agent: observes every actor and records the state of the run's own chart. */
  readonly inspect = ({ type, actorRef, rootId, snapshot }: InspectedEvent): void => {
    if (type !== '@xstate.snapshot' || actorRef.sessionId !== rootId) return
    const text = stateWords(valueOf(snapshot))
    if (text === '' || text === this.text) return
    this.text = text
    this.#changed()
  }
}

/** Returns the two innermost names of a state value, as words. */
function stateWords(value: unknown): string {
  return pathOf(value)
    .slice(-2)
    .map((name) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
    .join(': ')
}

/** Returns the state names from the outermost to the innermost; of parallel states, the first. */
function pathOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  const [entry] = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return entry === undefined ? [] : [entry[0], ...pathOf(entry[1])]
}

function valueOf(snapshot: unknown): unknown {
  return typeof snapshot === 'object' && snapshot !== null && 'value' in snapshot ? snapshot.value : undefined
}
