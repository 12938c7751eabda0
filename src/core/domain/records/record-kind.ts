/** The values of the fields of a record. */
export type RecordFields = Readonly<Record<string, string | number>>

/** Says how a store keeps the records of one kind: each kind is a table of its own, made from this declaration. */
export interface RecordTable {
  /** Lower-case letters. */
  readonly name: string
  /**
   * The parts of a body that have a column of their own; each write copies them from the body. A number that is `raised` never
   * falls, and can be raised without the record being read; a kind has one at most.
   */
  readonly fields: Readonly<Record<string, 'text' | 'number' | 'raised'>>
  /** The fields of each index, in order. */
  readonly indexes: Readonly<Record<string, readonly string[]>>
  /** Milliseconds, by the clock of the store, after which a record that nobody has put again is gone. */
  readonly maxAgeMs?: number
  /** True if a number of a record never comes again, even if the record is dropped. */
  readonly isNumberedOnce?: boolean
  /** True if nothing depends on these records after a crash. A damaged one counts as absent. */
  readonly isLossy?: boolean
  /** Says what is left of a body when the run that the field `run` names is deleted. */
  readonly afterRun?: (body: unknown) => RecordPut | 'keep' | 'drop'
}

/** A body as it is stored, with the fields that were copied from it. */
export interface RecordPut {
  readonly body: unknown
  readonly fields: RecordFields
  /** True if those who watch all runs are told of it. */
  readonly wakes?: boolean
}

/** A kind of record: its table, and how to read its bodies. */
export interface RecordKind<Body> extends RecordTable {
  readonly fieldsOf: (body: Body) => RecordFields
  /** Returns true for a body that can be used. */
  readonly isBody: (value: unknown) => value is Body
  /** Returns true for a body that makes something to do for those who watch all runs. Absent: none does. */
  readonly wakes?: (body: Body) => boolean
}

const isName = /^[a-z]+$/
const ownColumns: ReadonlySet<string> = new Set(['number', 'key', 'version', 'at', 'body', 'raised'])

/** A kind as it is declared. */
export interface KindDeclaration<Body> extends Omit<RecordKind<Body>, 'afterRun'> {
  /**
   * Gives what is left of a record when the run that its field `run` names is deleted; undefined drops it. Absent: it stays.
   * Needs the index `run`, on that field alone.
   */
  readonly runGone?: (body: Body) => Body | undefined
}

/** Checks the declaration of a kind; throws a TypeError that says what is wrong with it. */
export function recordKind<Body>({ runGone, ...kind }: KindDeclaration<Body>): RecordKind<Body> {
  const { name, fields, indexes, fieldsOf, isBody } = kind
  const refuse = (problem: string) => new TypeError(`The record kind "${name}" cannot be used: ${problem}.`)
  const names = [name, ...Object.keys(fields), ...Object.keys(indexes)]
  const bad = names.find((one) => !isName.test(one))
  if (bad !== undefined) throw refuse(`"${bad}" is no name of lower-case letters`)
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
    afterRun: (body) => {
      const left = isBody(body) ? runGone(body) : undefined
      if (left === undefined) return 'drop'
      return left === body ? 'keep' : { body: left, fields: fieldsOf(left) }
    },
  }
}

/** Checks that no two kinds have one name; throws a TypeError that names it. */
export function recordTables(...kinds: readonly RecordTable[]): readonly RecordTable[] {
  const names = kinds.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new TypeError(`Two record kinds have the name "${twice}". Give one of them another name.`)
  return kinds
}
