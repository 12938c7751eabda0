/** A plugin could not say what is kept of a value that came in. The message holds nothing of the value. */
export class RefusedValue extends Error {
  override readonly name = 'RefusedValue'
  readonly code = 'value_refused'
}
