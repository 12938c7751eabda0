import { playWorld, type PlayedWorld } from './play-world.ts'
import { shrink } from './shrink.ts'
import { storyOf } from './story.ts'
import { testFileOf } from './test-file.ts'
import { readSettings, type SimulatedAgents, type SimulationOptions, type SimulationSettings } from './settings.ts'

/** A failure that a simulation has found. */
export interface SimulationFinding {
  /** The seed of the simulated run that failed. */
  readonly seed: number
  /** The rule that was broken. */
  readonly invariant: string
  readonly message: string
  /** The story of the failure, in at most 12 lines. */
  readonly story: readonly string[]
  /** The choices of the mildest run that was found to fail in the same way; option \`choices\` plays them again. */
  readonly choices: readonly number[]
  /** The text of a test file that plays them, with agents and options from \`./simulated.ts\`. */
  readonly test: string
}

/** The outcome of a simulation. */
export interface SimulationReport {
  readonly runs: number
  readonly seed: number
  readonly commits: number
  readonly faults: number
  readonly found: readonly SimulationFinding[]
}

/**
 * Plays agents repeatedly in a simulated world: processes with workers, their store and people, on one virtual clock,
 * with faults that a seed determines. The code is real; only the implementations of the ports are simulated. Judges
 * each run of the world after every step, by rules of the engine and by your own.
 *
 * @example
 * const { found } = await simulate({ name: 'clerk', model, tools: [pay] }, { runs: 300, seed: 1 })
 * for (const { story } of found) console.log(story.join('\n'))
 */
export async function simulate<Outside = undefined>(
  agents: SimulatedAgents<Outside>,
  options: SimulationOptions<Outside> = {},
): Promise<SimulationReport> {
  const { runs = 100, seed = 1, untilFound = false, choices } = options
  const settings = readSettings(agents, options)
  const found: SimulationFinding[] = []
  const sum = { runs: 0, commits: 0, faults: 0 }
  // Code that is loaded on first use comes from the disk, whose time no seed decides.
  for (const warmUp of [seed, seed + 1, seed + 2]) await playWorld(settings, warmUp)
  for (let run = 0; run < runs; run++) {
    const world = await playWorld(settings, seed + run, choices)
    sum.runs++
    sum.commits += world.commits
    sum.faults += world.faults
    if (world.problem !== undefined) found.push(await findingOf(settings, seed + run, world, choices))
    if (untilFound && found.length > 0) break
  }
  return { ...sum, seed, found }
}

/** Choices that are made to find a milder run, at most: some seconds of work, also for runs that never end. */
const mostChoices = 300_000

/** Plays a failing run with fewer and fewer faults, and returns its story. */
async function findingOf<Outside>(
  settings: SimulationSettings<Outside>,
  seed: number,
  world: PlayedWorld,
  given: readonly number[] | undefined,
): Promise<SimulationFinding> {
  let made = 0
  const isLike = async (candidate: readonly number[]) => {
    if (made > mostChoices) return false
    const again = await playWorld(settings, seed, candidate)
    made += again.choices.length
    return again.problem?.invariant === world.problem?.invariant
  }
  const choices = given ?? (await shrink(world.choices, isLike))
  const milder = await playWorld(settings, seed, choices)
  const { problem = { invariant: 'same again', message: 'The run does not fail again.' }, notes } = milder
  const finding = {
    seed,
    invariant: problem.invariant,
    message: problem.message,
    story: storyOf(notes, problem),
    choices,
  }
  return { ...finding, test: testFileOf(finding, './simulated.ts') }
}
