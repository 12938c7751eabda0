import type { Tool } from '../../../index.ts'
import { defaultTools } from '../../../adapters/tools/default-tools.ts'
import { fileTools } from '../../../adapters/tools/files.ts'
import { bubblewrap, type Sandbox, unconfined } from '../../../adapters/tools/shell.ts'
import { CliError, exitCodes, misuse } from '../terminal/cli-error.ts'
import type { CliIo } from '../terminal/cli-io.ts'

/** What `--shell` may name. */
const sandboxes: Readonly<Record<string, () => Sandbox>> = { unconfined, bubblewrap: () => bubblewrap() }

/** The tools of a run: those for files, and with a sandbox named those for commands too, which ask each time. */
export function toolsOf(root: string, shell: string | undefined, { env }: Pick<CliIo, 'env'>): readonly Tool[] {
  return shell === undefined ? fileTools({ root }) : defaultTools({ root, sandbox: sandboxOf(shell), environment: env })
}

/** Refuses a sandbox nobody knows, and one that is not there; never takes a weaker one instead. */
export async function requireShell(shell: string | undefined): Promise<void> {
  const problem = shell === undefined ? undefined : await problemOfSandbox(shell)
  if (problem !== undefined) throw new CliError(exitCodes.unusable, 'no_sandbox', problem)
}

/** Why commands cannot run in a sandbox here; undefined where they can. */
export async function problemOfSandbox(name: string): Promise<string | undefined> {
  return await sandboxOf(name).check()
}

function sandboxOf(name: string): Sandbox {
  const make = Object.hasOwn(sandboxes, name) ? sandboxes[name] : undefined
  if (make !== undefined) return make()
  const known = Object.keys(sandboxes).join(', ')
  throw misuse('bad_shell', `No sandbox is named ${JSON.stringify(name.slice(0, 100))}.`, `Known: ${known}.`)
}
