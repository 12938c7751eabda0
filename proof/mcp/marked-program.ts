import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { compiled } from '../support/compiled.ts'
import type { ServerProgram } from './official-servers.ts'

/** A program whose processes can be found. */
export interface MarkedProgram {
  readonly program: ServerProgram
  /** Processes of it that are there now. */
  pids(): readonly number[]
}

/** The same program with a variable of its own in its environment. */
export function markedProgram(program: ServerProgram): MarkedProgram {
  const mark = randomUUID()
  const env = { ...compiled, ...program.env, MCP_MARK: mark }
  return { program: { ...program, env }, pids: () => pidsWith(`MCP_MARK=${mark}`) }
}

function pidsWith(line: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).split('\0').includes(line))
    .map(Number)
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}
