import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createAgent, type Tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'

/** A call that a scripted model makes. */
export interface ScriptedCall {
  readonly name: string
  readonly arguments: { readonly [key: string]: string }
}

/** Starts a run whose model asks for these calls at once, and leaves it where it waits. */
export async function waitingRun(
  cwd: string,
  toolCalls: readonly ScriptedCall[],
  more: readonly Tool[] = [],
): Promise<string> {
  await mkdir(join(cwd, '.statewright'))
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const model = scripted([{ toolCalls }])
  const tools = [...fileTools({ root: cwd }), ...more]
  const labels = { root: cwd, model: 'scripted/scripted' }
  const { runId, status } = await createAgent({ name: 'statewright', model, tools, store }).run('Write', { labels })
  expect(status).toBe('waiting')
  await store.close()
  return runId
}

/** A call that writes a file and asks before. */
export const write = (path: string): ScriptedCall => ({ name: 'write_file', arguments: { path, content: `${path}\n` } })
