import { misuse } from './cli-error.ts'
import { oneLine } from './safe-text.ts'

/** The id of a run as given; refused where no run can have it, so that no path gets near a store. */
export function runIdOf(given: string | undefined): string {
  if (given !== undefined && /^[A-Za-z0-9_.-]{1,128}$/.test(given)) return given
  throw misuse(
    'bad_run_id',
    `${JSON.stringify(oneLine(given ?? '', 100))} cannot be the id of a run.`,
    'Expected 1 to 128 letters, digits, "_", "." and "-". List the runs with: statewright runs',
  )
}
