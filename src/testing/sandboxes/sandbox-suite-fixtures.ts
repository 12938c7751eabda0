import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sandbox } from '../../core/ports/sandbox.ts'

/** A sandbox with its resources. */
export interface SandboxUnderTest {
  readonly sandbox: Sandbox
  dispose(): Promise<void>
}

/** The result of a command. */
export interface CommandOutcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A root and an outside folder for one case, with functions that run commands in the root. */
export interface SandboxGround {
  readonly sandbox: Sandbox
  readonly root: string
  readonly outside: string
  run(
    command: string,
    more?: { readonly folder?: string; readonly variables?: Readonly<Record<string, string>> },
  ): Promise<CommandOutcome>
  /** Starts a command, kills its process group after its first output, and waits for its end. */
  kill(command: string): Promise<void>
}

/** A named case; a `boundary` case runs only on sandboxes that claim to be a boundary. */
export type SandboxCase = readonly [
  name: string,
  holds: 'always' | 'boundary',
  run: (ground: SandboxGround) => Promise<void>,
]

/** Creates a ground for the given work, and removes it afterwards. */
export async function onGround(sandbox: Sandbox, work: (ground: SandboxGround) => Promise<void>): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-suite-')))
  const [root, outside] = [join(folder, 'root'), join(folder, 'outside')]
  for (const made of [root, outside]) mkdirSync(made)
  try {
    await work({
      sandbox,
      root,
      outside,
      run: (command, { folder: inner = '.', variables = {} } = {}) => {
        const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', ...variables }
        return outcomeOf(sandbox, { command, root, folder: inner, environment }, () => {})
      },
      kill: async (command) => {
        const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }
        await outcomeOf(sandbox, { command, root, folder: '.', environment }, (pid) => process.kill(-pid, 'SIGKILL'))
      },
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a command as a shell tool does, and kills the process group at the end. */
async function outcomeOf(
  sandbox: Sandbox,
  command: Parameters<Sandbox['wrap']>[0],
  onOutput: (pid: number) => void,
): Promise<CommandOutcome> {
  const wrapped = sandbox.wrap(command)
  const child = spawn(wrapped.program, [...wrapped.parameters], {
    env: { ...wrapped.environment },
    ...(wrapped.entersFolder ? {} : { cwd: join(command.root, command.folder) }),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(wrapped.descriptors ?? [])],
  })
  const texts = { out: '', err: '' }
  child.stdout?.on('data', (bytes: Buffer) => {
    texts.out += bytes.toString()
    if (child.pid !== undefined) onOutput(child.pid)
  })
  child.stderr?.on('data', (bytes: Buffer) => {
    texts.err += bytes.toString()
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  if (child.pid !== undefined) endGroup(child.pid)
  await wrapped.stop?.()
  await closed
  return { code, ...texts }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    return
  }
}
