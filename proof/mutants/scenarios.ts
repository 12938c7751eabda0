import type { Scenario } from './scenario.ts'
import { scenariosOfCalls } from './scenarios-of-calls.ts'
import { scenariosOfCorners } from './scenarios-of-corners.ts'
import { scenariosOfEndings } from './scenarios-of-endings.ts'
import { scenariosOfFlow } from './scenarios-of-flow.ts'
import { scenariosOfTime } from './scenarios-of-time.ts'
import { scenariosOfWaits } from './scenarios-of-waits.ts'

/** Every scenario, written from the requirements and not from what the charts do. */
export const scenarios: readonly Scenario[] = [
  ...scenariosOfFlow,
  ...scenariosOfCalls,
  ...scenariosOfWaits,
  ...scenariosOfTime,
  ...scenariosOfEndings,
  ...scenariosOfCorners,
]
