import { isRecord } from '../domain/text/json.ts'
import { expecting } from '../domain/text/option-shape.ts'

/** Throws a `UsageError` for a value that is not an XState machine. */
export const checkMachine = expecting(
  'a machine of XState',
  (machine) => isRecord(machine) && isRecord(machine['root']) && isRecord(machine['config']),
)

/** Throws a `UsageError` for a value that is not a chart. */
export const checkChart = expecting(
  'a chart, as readChart gives it',
  (chart) => isRecord(chart) && Array.isArray(chart['states']),
)
