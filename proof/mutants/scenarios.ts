import type { Scenario } from './scenario.ts'
import { scenariosOfCalls } from './scenarios-of-calls.ts'
import { scenariosOfCorners } from './scenarios-of-corners.ts'
import { scenariosOfEndings } from './scenarios-of-endings.ts'
import { scenariosOfFlow } from './scenarios-of-flow.ts'
import { scenariosOfTime } from './scenarios-of-time.ts'
import { scenariosOfAnswers } from './scenarios-of-answers.ts'
import { scenariosOfFilters } from './scenarios-of-filters.ts'
import { scenariosOfHooks } from './scenarios-of-hooks.ts'
import { scenariosOfHooksInTime } from './scenarios-of-hooks-in-time.ts'
import { scenariosOfOpening } from './scenarios-of-opening.ts'
import { scenariosOfPermissions } from './scenarios-of-permissions.ts'
import { scenariosOfQueue } from './scenarios-of-queue.ts'
import { scenariosOfWaits } from './scenarios-of-waits.ts'

/** Every scenario, written from the requirements and not from what the charts do. */
export const scenarios: readonly Scenario[] = [
  ...scenariosOfFlow,
  ...scenariosOfCalls,
  ...scenariosOfWaits,
  ...scenariosOfTime,
  ...scenariosOfEndings,
  ...scenariosOfCorners,
  ...scenariosOfOpening,
  ...scenariosOfQueue,
  ...scenariosOfFilters,
  ...scenariosOfHooks,
  ...scenariosOfHooksInTime,
  ...scenariosOfAnswers,
  ...scenariosOfPermissions,
]
