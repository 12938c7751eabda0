import type { Store } from '../../src/core/ports/store.ts'
import type { CrashScenario, CrashWalkOptions } from '../../src/testing/crash/crash-scenario.ts'
import { walkCrashes } from '../../src/testing/crash/walk-crashes.ts'
import {
  acknowledgingEarly,
  creatingInTwo,
  forgettingDecisions,
  forgettingQueue,
  forgettingSteps,
  forgettingSummaries,
  forgettingTheOriginal,
  forgettingTheReference,
  losingIntent,
  renewingAnything,
  retellingMessages,
  sendingEarly,
  splittingCommits,
  tellingTheOriginal,
} from './planted-bugs.ts'
import { scenarios } from './scenarios.ts'

/** A bug of a store, and what the walk through a scenario has to find of it. */
export interface PlantedBug {
  readonly what: string
  readonly scenario: string
  readonly plant: (store: Store) => Store
  readonly kind: string
}

/** Every bug of a store that the walk has to notice, whatever store it is planted in. */
export const plantedBugs: readonly PlantedBug[] = [
  bug('effects performed before their commit', 'one call', acknowledgingEarly, 'intent'),
  bug('a fork in two pieces', 'fork of a finished run', creatingInTwo, 'lost'),
  bug('a lease that is renewed though another has it', 'one call', renewingAnything, 'doubled'),
  bug('a commit in two pieces', 'two turns of one call', splittingCommits, 'stuck'),
  bug('a started call that is not on record', 'suspension and approval', losingIntent, 'intent'),
  bug('a finished step that is not on record', 'a call of three steps', forgettingSteps, 'transcript'),
  bug('a decision that is not kept', 'denied', forgettingDecisions, 'stuck'),
  bug('a queue that is forgotten', 'steered twice, one at a time', forgettingQueue, 'lost'),
  bug('a message that is taken in twice', 'steered between two calls', retellingMessages, 'doubled'),
  bug('a fork that changes its original', 'fork of a waiting run, approved', tellingTheOriginal, 'original'),
  bug('a memory that is told early', 'a memory that is asked and told', sendingEarly, 'lost'),
  bug(
    'a summary that is forgotten',
    'a prompt that a model tells in short, and gone on with',
    forgettingSummaries,
    'doubled',
  ),
  bug('a run that forgets what it goes on with', 'gone on with a prompt', forgettingTheReference, 'lost'),
  bug('a run that loses what it goes on with', 'gone on with a prompt', forgettingTheOriginal, 'original'),
]

function bug(what: string, scenario: string, plant: PlantedBug['plant'], kind: string): PlantedBug {
  return { what, scenario, plant, kind }
}

function scenarioNamed(name: string): CrashScenario {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found === undefined) throw new Error(`No scenario "${name}".`)
  return found
}

/** True where the walk over these stores notices the bug. */
export async function isNoticed(
  { scenario, plant, kind }: PlantedBug,
  storage: CrashWalkOptions['storage'],
): Promise<boolean> {
  // Only a driver that is stopped meets a lease that another has.
  const stops = plant === renewingAnything
  const report = await walkCrashes(scenarioNamed(scenario), { storage, stops, wrapStore: plant })
  return report.findings.some((finding) => finding.kind === kind)
}
