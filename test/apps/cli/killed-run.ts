import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Starts a run in another process, kills that process while a tool runs, and gives the run's id. */
export async function killedRun(cwd: string): Promise<string> {
  const file = join(cwd, '.statewright', 'runs.db')
  await mkdir(dirname(file), { recursive: true })
  const script = fileURLToPath(new URL('hang-in-tool.ts', import.meta.url))
  const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed] = await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  return String(printed).trim()
}
