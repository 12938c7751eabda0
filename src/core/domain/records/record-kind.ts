/** The values of a record's fields. */
export type RecordFields = Readonly<Record<string, string | number>>

/** The storage of one kind of record: each kind has its own table, generated from this declaration. */
export interface RecordTable {
  /** The name, in lower-case letters. */
  readonly name: string
  /**
   * The parts of a body with their own columns; each write copies them from the body. A `raised` number never falls and
   * can be raised without a read of the record; a kind has at most one.
   */
  readonly fields: Readonly<Record<string, 'text' | 'number' | 'raised'>>
  /** The fields of each index, in order. */
  readonly indexes: Readonly<Record<string, readonly string[]>>
  /** The maximum age in milliseconds since the last write, by the store's clock; an older record is gone. */
  readonly maxAgeMs?: number
  /** True if a record's number is never used again, even after the record is deleted. */
  readonly isNumberedOnce?: boolean
  /** True if nothing depends on these records after a crash. A damaged one counts as absent. */
  readonly isLossy?: boolean
  /**
   * Returns the remaining body when the run in the field `run` is deleted. `successor` is the newest other run of its session
   * that began with the same transcript, if the kind wants to know.
   */
  readonly afterRun?: (body: unknown, successor: string | undefined) => RecordPut | 'keep' | 'drop'
  readonly wantsSuccessor?: boolean
}

/** A body for storage, with the fields that are copied from it. */
export interface RecordPut {
  readonly body: unknown
  readonly fields: RecordFields
  /** True if watchers of all runs are notified of the record. */
  readonly wakes?: boolean
}

/** A kind of record: its table, and the check of its bodies. */
export interface RecordKind<Body> extends RecordTable {
  readonly fieldsOf: (body: Body) => RecordFields
  /** Returns true for a valid body. */
  readonly isBody: (value: unknown) => value is Body
  /** Returns true for a body that is a reason for watchers of all runs to look. Absent: never. */
  readonly wakes?: (body: Body) => boolean
}

const isName = /^[a-z]+$/
const ownColumns: ReadonlySet<string> = new Set(['number', 'key', 'version', 'at', 'body', 'raised'])

/** The declaration of a kind. */
export interface KindDeclaration<Body> extends Omit<RecordKind<Body>, 'afterRun'> {
  /**
   * Returns the remaining body when the run in the field `run` is deleted, or undefined to delete the record. Absent:
   * the record stays. Needs the index `run` on that field alone.
   */
  readonly runGone?: (body: Body, successor: string | undefined) => Body | undefined
}

/** Returns a kind after a check of its declaration; throws a TypeError that names the problem. */
export function recordKind<Body>({ runGone, ...kind }: KindDeclaration<Body>): RecordKind<Body> {
  const { name, fields, indexes, fieldsOf, isBody } = kind
  const refuse = (problem: string) => new TypeError(`The record kind "${name}" cannot be used: ${problem}.`)
  const names = [name, ...Object.keys(fields), ...Object.keys(indexes)]
  const bad = names.find((one) => !isName.test(one))
  if (bad !== undefined) throw refuse(`"${bad}" is not a name in lower-case letters`)
  const taken = Object.keys(fields).find((field) => ownColumns.has(field))
  if (taken !== undefined) throw refuse(`its field "${taken}" has the name of a column that each record has`)
  for (const [index, on] of Object.entries(indexes)) {
    const unknown = on.find((field) => !Object.hasOwn(fields, field))
    if (unknown !== undefined) throw refuse(`its index "${index}" is on "${unknown}", which is none of its fields`)
    if (on.length === 0) throw refuse(`its index "${index}" is on no field`)
  }
  if (Object.values(fields).filter((type) => type === 'raised').length > 1) throw refuse('two of its fields are raised')
  if (runGone === undefined) return kind
  if (fields['run'] !== 'text' || indexes['run']?.join() !== 'run')
    throw refuse('what changes with its run needs a text field "run", and an index "run" on that alone')
  return {
    ...kind,
    afterRun: (body, successor) => {
      const left = isBody(body) ? runGone(body, successor) : undefined
      if (left === undefined) return 'drop'
      return left === body ? 'keep' : { body: left, fields: fieldsOf(left) }
    },
  }
}

/** Returns the kinds after a check for duplicate names; throws a TypeError that names the duplicate. */
export function recordTables(...kinds: readonly RecordTable[]): readonly RecordTable[] {
  const names = kinds.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new TypeError(`Two record kinds have the name "${twice}". Give one of them another name.`)
  return kinds
}
