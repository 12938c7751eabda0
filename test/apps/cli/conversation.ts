import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createAgent } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { call, lastLine } from './command.ts'

/** The agent of the command line in a program of its own, on the store of a working folder. */
export async function program(cwd: string, replies: ScriptedReply | readonly ScriptedReply[]) {
  await mkdir(join(cwd, '.statewright'), { recursive: true })
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const agent = createAgent({ name: 'statewright', model: scripted(replies), store, retry: { maxRetries: 0 } })
  return { agent, store, labels: { root: cwd, model: 'scripted/scripted' } }
}

/** Stores a finished run `run_first` about rain. */
export async function finishedRun(cwd: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
  const { agent, store, labels } = await program(cwd, ['It rains.'])
  await agent.run('Weather?', { runId: 'run_first', labels: { ...labels, ...more } })
  await store.close()
}

/** What the list of runs says in JSON. */
export async function listed(cwd: string): Promise<Record<string, unknown>> {
  return lastLine(await call(['runs', '--json'], { cwd }))
}
