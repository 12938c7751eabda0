/** A defect of a chart or an effect handler that could not be recorded as the end of the run. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code = 'engine_error'
}
