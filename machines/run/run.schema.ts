/** What a migration reads and gives of a stored actor; whatever else stands in it is kept. */
interface Stored {
  readonly value?: unknown
  readonly context?: Fields
}

type Fields = { readonly [name: string]: unknown }

/** What brings a stored run of each earlier schema forward; by the schema it starts from. Never changed once released. */
export const runMigrations = { 1: { actor: toSchema2 } }

/**
 * From schema 1 to 2. The phases of a run came to stand in lines, which are states around theirs; and how a run ends became
 * one value of its context. Effects under way kept their ids, and no other actor changed.
 */
function toSchema2<Actor extends Stored>(actor: Actor, src: string): Actor {
  if (src !== 'root') return actor
  const { value, context } = actor
  return {
    ...actor,
    ...(value === undefined ? {} : { value: movedState(value) }),
    ...(context === undefined ? {} : { context: withEnding(context) }),
  }
}

/** The line that came to stand around a state. */
const lines: { readonly [compound: string]: { readonly [state: string]: string } } = {
  turn: {
    filteringQueued: 'before',
    startingStep: 'before',
    preparingInference: 'before',
    askingBeforeTurn: 'before',
    reviewingAnswer: 'after',
    endingStep: 'after',
    holdingRun: 'after',
    askingAfterTurn: 'ended',
  },
  closing: { tellingError: 'telling', runningEnd: 'telling' },
}

function movedState(value: unknown): unknown {
  const { running } = fieldsOf(value)
  if (running === undefined) return value
  const moved = Object.entries(fieldsOf(running)).map(([compound, state]) => {
    const line = typeof state === 'string' ? lines[compound]?.[state] : undefined
    return [compound, line === undefined ? state : { [line]: state }]
  })
  return { running: Object.fromEntries(moved) }
}

/** Fields that were null were not stored. */
function withEnding(context: Fields): Fields {
  const { plannedOutcome: plan, outcome, cancelNote, isFinishing, ...rest } = context
  const ending = endingOf(plan ?? undefined, outcome ?? undefined, cancelNote)
  return {
    ...rest,
    ...(ending === undefined ? {} : { ending }),
    ...(isFinishing === undefined ? {} : { isLastCall: isFinishing }),
  }
}

/** Of a plan, an end that was made keeps the note, and a wait all of it. */
function endingOf(plan: unknown, outcome: unknown, cancelNote: unknown): Fields | undefined {
  if (outcome === undefined) return plan === undefined ? undefined : { kind: 'planned', plan }
  const { reason } = fieldsOf(outcome)
  const note = reason === 'cancelled' ? cancelNote : reason === 'stopped' ? fieldsOf(plan)['note'] : undefined
  return {
    kind: 'made',
    outcome,
    ...(typeof note === 'string' ? { note } : {}),
    ...(reason === 'suspended' && plan !== undefined ? { plan } : {}),
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
