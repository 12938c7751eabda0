import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { shellTool, unconfined } from '../../src/adapters/tools/shell.ts'
import { callTool } from '../call-tool.ts'
import { residentRiseDuring } from '../memory-rise.ts'
import type { Workload } from '../workload.ts'

/** How far the memory of this process rises while a command writes so many MB, beside reading and forgetting the same. */
export const output: Workload = {
  name: 'output',
  unit: 'MB resident',
  floor: 'spawns the same command and drops what it writes.',
  rounds: 5,
  warmUp: { size: 20, times: 2 },
  variants: [
    {
      name: 'memory',
      sizes: [1, 100],
      subjects: {
        floor: (megabytes) => residentRiseDuring(() => drain(writing(megabytes))),
        statewright: (megabytes) =>
          residentRiseDuring(async () => void (await callTool(shell, { command: writing(megabytes) }))),
      },
    },
  ],
}

const shell = shellTool({ root: tmpdir(), sandbox: unconfined(), run: 'allow' })

function writing(megabytes: number): string {
  return `head -c ${megabytes * 1_000_000} /dev/zero | tr '\\0' x`
}

function drain(command: string): Promise<void> {
  const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.resume()
  child.stderr.resume()
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve())
  })
}
