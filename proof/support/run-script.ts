import { spawnSync } from 'node:child_process'

/** The output and end of a proof's script. */
export interface ScriptEnd {
  readonly status: number | null
  /** The JSON object on the last line. */
  readonly figures: unknown
  /** The lines before it. */
  readonly lines: readonly string[]
  readonly stderr: string
}

/** Milliseconds after which a script that hangs is ended, because its test cannot end it. */
const mostMs = 600_000

/** Runs `proof/<name>.ts` with `--json` in a process of its own. */
export function runScript(name: string, flags: readonly string[] = [], env = process.env): ScriptEnd {
  const command = [`proof/${name}.ts`, ...flags, '--json']
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', env, timeout: mostMs })
  const lines = stdout.trimEnd().split('\n')
  return { status, figures: JSON.parse(lines.at(-1) ?? ''), lines: lines.slice(0, -1), stderr }
}
