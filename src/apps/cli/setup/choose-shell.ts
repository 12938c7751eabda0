import type { Tool } from '../../../index.ts'
import { defaultTools } from '../../../adapters/tools/default-tools.ts'
import { fileTools } from '../../../adapters/tools/files.ts'
import { bubblewrap, type Sandbox, unconfined } from '../../../adapters/tools/shell.ts'
import { misuse, unusable } from '../terminal/cli-error.ts'
import type { CliIo } from '../terminal/cli-io.ts'

/** The option's value for no commands at all. */
export const noShell = 'none'

const sandboxes: Readonly<Record<string, () => Sandbox>> = { unconfined, bubblewrap: () => bubblewrap() }

/** Returns the tools of a run: the file tools, and with a sandbox also the shell tool, which asks for each command. */
export function toolsOf(root: string, shell: string | undefined, { env }: Pick<CliIo, 'env'>): readonly Tool[] {
  if (shell === undefined || shell === noShell) return fileTools({ root })
  return defaultTools({ root, sandbox: sandboxOf(shell), environment: env })
}

/** Throws for an unknown or unavailable sandbox; never falls back to a weaker one. */
export async function requireShell(shell: string | undefined): Promise<void> {
  const problem = shell === undefined || shell === noShell ? undefined : await problemOfSandbox(shell)
  if (problem !== undefined) throw unusable('no_sandbox', problem)
}

/** Returns the reason why commands cannot run in a sandbox here, or undefined if they can. */
export async function problemOfSandbox(name: string): Promise<string | undefined> {
  return await sandboxOf(name).check()
}

function sandboxOf(name: string): Sandbox {
  const make = Object.hasOwn(sandboxes, name) ? sandboxes[name] : undefined
  if (make !== undefined) return make()
  const known = [...Object.keys(sandboxes), noShell].join(', ')
  throw misuse('bad_shell', `No sandbox is named ${JSON.stringify(name.slice(0, 100))}.`, `Known: ${known}.`)
}
