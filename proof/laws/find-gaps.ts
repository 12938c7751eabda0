import type { DecisionPage } from './read-decisions.ts'
import { isTestFile, planted, type PlantedFault } from './planted-fault.ts'

/** The parts of the repository that the faults are compared with. */
export interface Repository {
  /** The text of a file; undefined where there is none. */
  readonly read: (path: string) => string | undefined
  /** Names of the npm scripts. */
  readonly scripts: readonly string[]
}

/**
 * What is missing between decisions and planted faults, one sentence each: a decision in force without a fault, a check
 * that nobody has seen fail, a fault that is of no decision, whose check its page does not name, or that cannot be planted.
 */
export function findGaps(
  pages: readonly DecisionPage[],
  faults: readonly PlantedFault[],
  repository: Repository,
): readonly string[] {
  return [
    ...pages.flatMap((page) => gapsOfPage(page, faults)),
    ...faults.flatMap((fault) => gapsOfFault(fault, pages, repository)),
  ]
}

function gapsOfPage({ number, file, isInForce, checks }: DecisionPage, faults: readonly PlantedFault[]) {
  if (!isInForce) return []
  const own = faults.filter(({ decision }) => decision === number)
  if (own.length === 0)
    return [`docs/adr/${file} has no planted fault. Add one to proof/laws, and name the check that notices it.`]
  const unseen = checks.filter((check) => !own.some((fault) => fault.check === check))
  return unseen.map(
    (check) => `docs/adr/${file} names the check ${check}, and no planted fault of it is for this check.`,
  )
}

function gapsOfFault(fault: PlantedFault, pages: readonly DecisionPage[], { read, scripts }: Repository) {
  const { decision, bends, file, check } = fault
  const page = pages.find(({ number, isInForce }) => number === decision && isInForce)
  if (page === undefined) return [`"${bends}" is for decision ${decision}, which is not in force.`]
  const source = read(file)
  const isThere = isTestFile(check) ? read(check) !== undefined : scripts.includes(check)
  return [
    ...(page.checks.includes(check) ? [] : [`docs/adr/${page.file} does not name ${check} under "Enforced by".`]),
    ...(isThere ? [] : [`"${bends}" asks for the check ${check}, which does not exist.`]),
    ...(source !== undefined && planted(fault, source) !== undefined
      ? []
      : [
          `"${bends}" cannot be planted in ${file}: expected this text exactly once, and another in its place: ${fault.text}`,
        ]),
  ]
}
