import { EngineError, ModelError, SnapshotError, StoreError, UsageError } from '../../../index.ts'
import { CliError, exitCodes, messageOf, unusable } from './cli-error.ts'

/** Converts any failure to a `CliError`: an expected one with its code and advice, any other as one line. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error
  const message = messageOf(error)
  if (error instanceof UsageError) return new CliError(exitCodes.misuse, error.code, message)
  if (error instanceof StoreError) return unusable(error.code, message)
  if (error instanceof ModelError) return new CliError(exitCodes.ended, error.kind, message)
  if (error instanceof SnapshotError) return unusable('snapshot_error', message)
  if (error instanceof EngineError) return unusable('engine_error', message)
  return unusable('unexpected', `Unexpected error: ${message}`, 'For more, run the command again with --debug.')
}
