import type { EncodedCommit } from '../../../core/stores/rows/encode-commit.ts'
import { PostgresFailure } from './failure.ts'
import type { Doubt, Session } from './session.ts'
import { writeCommit } from './write-commit.ts'
import { lengthOf, writeSteps } from './write-steps.ts'

/**
 * The maximum number of running statements before commits wait for each other: with fewer, groups are larger and wait
 * longer.
 */
const mostUnderWay = 4
/**
 * The maximum number of commits that one statement writes, and about how many characters; a longer commit has its own
 * statement.
 */
const mostCommits = 32
const mostText = 1_000_000

interface QueuedStep {
  readonly commit: EncodedCommit
  readonly doubt: Doubt
  readonly resolve: (isWritten: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Returns a function that writes steps, and resolves to false for a step that is not written (ADR 21). */
export function createCommitGroups({
  statement,
}: Pick<Session, 'statement'>): (commit: EncodedCommit, doubt: Doubt) => Promise<boolean> {
  const queue: QueuedStep[] = []
  let underWay = 0

  function pump(): void {
    while (underWay < mostUnderWay && queue.length > 0) {
      const [first, ...others] = takeGroup(queue)
      if (first === undefined) return
      underWay++
      void (others.length === 0 ? writeAlone(first) : writeTogether([first, ...others])).finally(() => {
        underWay--
        pump()
      })
    }
  }

  async function writeAlone({ commit, doubt, resolve, reject }: QueuedStep): Promise<void> {
    await statement((sql) => writeCommit(sql, commit), doubt).then(resolve, reject)
  }

  async function writeTogether(group: readonly QueuedStep[]): Promise<void> {
    const commits = group.map(({ commit }) => commit)
    const shared: Doubt = { isOpen: false }
    try {
      // After a lost connection each commit finds out for itself whether it is stored.
      const written = await statement(
        async (sql, isRepeat) => (isRepeat ? none : await writeSteps(sql, commits).catch(noneIfRefused)),
        shared,
      )
      for (const { doubt } of group) doubt.isOpen ||= shared.isOpen
      for (const { commit, resolve } of group) resolve(written.has(commit.runId))
    } catch (error) {
      for (const { doubt } of group) doubt.isOpen ||= shared.isOpen
      for (const { reject } of group) reject(error)
    }
  }

  return (commit, doubt) =>
    new Promise((resolve, reject) => {
      queue.push({ commit, doubt, resolve, reject })
      pump()
    })
}

const none: ReadonlySet<string> = new Set()

/** Returns no run if the server refuses one commit: each commit is then written separately. */
function noneIfRefused(error: unknown): ReadonlySet<string> {
  if (error instanceof PostgresFailure && error.kind !== 'lost') return none
  throw error
}

function takeGroup(queue: QueuedStep[]): readonly QueuedStep[] {
  const group = new Map<string, QueuedStep>()
  const left: QueuedStep[] = []
  let text = 0
  for (const step of queue.splice(0)) {
    const { runId } = step.commit
    const length = group.size < mostCommits && !group.has(runId) ? lengthOf(step.commit) : Number.POSITIVE_INFINITY
    if (group.size > 0 && text + length > mostText) left.push(step)
    else {
      group.set(runId, step)
      text += length
    }
  }
  queue.push(...left)
  return [...group.values()]
}
