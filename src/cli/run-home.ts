import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createAgent, type RunRecord, type Store } from '../index.ts'
import { noModel } from './choose-model.ts'
import { CliError, exitCodes, misuse } from './cli-error.ts'
import { oneLine } from './safe-text.ts'

/** The name of the command line's agent in every run it starts. */
export const agentName = 'statewright'

/** What a run that the command line started keeps with it. */
export interface RunHome {
  /** Absolute path of the folder its tools work in. */
  readonly root: string
  /** `provider/model` as it was asked for when the run started. */
  readonly model: string
}

/** The home of a stored run; undefined for a run of another program, whose tools are not known here. */
export async function homeOf(store: Store, { id, agent }: RunRecord): Promise<RunHome | undefined> {
  if (agent !== agentName) return undefined
  const run = await createAgent({ name: agentName, model: noModel, store }).load(id)
  const { root, model } = await run.labels()
  return root === undefined || model === undefined ? undefined : { root, model }
}

/** The folder a run works in; another one may be named only where the run's own is gone. */
export async function rootOf(runId: string, { root }: RunHome, cwd: string, given: string | undefined) {
  if (given === undefined) return root
  const asked = resolve(cwd, given)
  const [real, realAsked] = await Promise.all([realPathOf(root), realPathOf(asked)])
  if (real === undefined || real === realAsked) return real === undefined ? asked : root
  throw misuse(
    'other_root',
    `Run ${runId} works in ${oneLine(root, 500)}, not in ${oneLine(asked, 500)}.`,
    'Leave out --root: the folder is stored with the run.',
  )
}

/** Refuses to drive a run whose folder is gone. */
export async function requireRoot(runId: string, root: string): Promise<void> {
  if (await isFolder(root)) return
  throw new CliError(
    exitCodes.unusable,
    'no_root',
    `The folder ${oneLine(root, 500)} of run ${runId} does not exist any more.`,
    ['Put it back, or say where it is now: --root <folder>'],
  )
}

/** The refusal to drive a run of another program. */
export function foreignRun({ id, agent }: RunRecord): CliError {
  return new CliError(
    exitCodes.unusable,
    'foreign_run',
    `Run ${id} belongs to the agent "${oneLine(agent)}" of another program; its tools and its model are not known here.`,
    [
      'Drive it on with the program that started it.',
      'To store a decision or a cancel for that program, add --no-drive to approve, deny, respond or cancel.',
    ],
  )
}

/** True for a folder that can be seen. */
export async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined)
  return stats?.isDirectory() ?? false
}

async function realPathOf(path: string): Promise<string | undefined> {
  return await realpath(path).catch(() => undefined)
}
