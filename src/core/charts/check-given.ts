import { isRecord } from '../domain/text/json.ts'
import { expecting } from '../domain/text/option-shape.ts'

/** Throws a `UsageError` for what is no machine of XState. */
export const checkMachine = expecting(
  'a machine of XState',
  (machine) => isRecord(machine) && isRecord(machine['root']) && isRecord(machine['config']),
)

/** Throws a `UsageError` for what is no chart. */
export const checkChart = expecting(
  'a chart, as readChart gives it',
  (chart) => isRecord(chart) && Array.isArray(chart['states']),
)
