import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { findRipgrep } from '../../src/adapters/tools/ripgrep.ts'
import { searchFilesTool } from '../../src/adapters/tools/search-files.ts'
import { bubblewrap, type Sandbox, shellTool, unconfined } from '../../src/adapters/tools/shell.ts'
import { callTool } from '../call-tool.ts'
import { timeOf } from '../stopwatch.ts'
import type { Variant, Workload } from '../workload.ts'

/** Stands in this file alone. */
const wanted = 'isNobodysWordButHere'

const program = await findRipgrep()
const isBoxed = (await bubblewrap().check()) === undefined

/**
 * A call of `shell` that does nothing, from its start to its end, beside a bare spawn of the same bash; and a search of
 * this repository beside ripgrep, both for a text that stands in few files. Variants without their program are left out.
 */
export const tools: Workload = {
  name: 'tools',
  unit: 'µs a call',
  floor: 'spawns the same program with pipes and waits for its exit.',
  rounds: 25,
  warmUp: { size: 1, times: 5 },
  variants: [
    calling('unconfined', unconfined()),
    ...(isBoxed ? [calling('bubblewrap', bubblewrap())] : []),
    ...(program === undefined ? [] : [searching('ripgrep', program), searching('own', undefined)]),
  ],
}

function calling(name: string, sandbox: Sandbox): Variant {
  const root = realpathSync(tmpdir())
  const shell = shellTool({ root, sandbox, run: 'allow' })
  return {
    name,
    sizes: [1],
    subjects: {
      floor: () => timeOf('passing', () => bareSpawn('bash', ['-c', 'true'], root)),
      statewright: () => timeOf('passing', async () => void (await callTool(shell, { command: 'true' }))),
    },
  }
}

function searching(name: string, found: string | undefined): Variant {
  const root = process.cwd()
  const search = searchFilesTool(root, { ripgrep: async () => found })
  const flags = ['--hidden', '--no-ignore', '--iglob', '!node_modules/', '--iglob', '!.git/', '-n', '-F', wanted, './']
  return {
    name,
    sizes: [1],
    subjects: {
      floor: () => timeOf('passing', () => bareSpawn(program ?? 'rg', flags, root)),
      statewright: () => timeOf('passing', async () => void (await callTool(search, { query: wanted }))),
    },
  }
}

function bareSpawn(command: string, parameters: readonly string[], cwd: string): Promise<void> {
  const child = spawn(command, [...parameters], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.resume()
  child.stderr.resume()
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => resolve())
  })
}
