import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolContext } from '../../src/core/ports/tool.ts'

/** One effect on the outside, as a line of a run's journal. */
export interface JournalLine {
  readonly callId: string
  readonly toolName: string
  readonly idempotencyKey: string
  readonly attempt: number
  /** The process that acted. */
  readonly pid: number
  /** Unix milliseconds. */
  readonly at: number
}

/** Real files, one a run, that tools append to: what stands there has happened, whoever died since. */
export class Journal {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  append({ runId, callId, toolName, idempotencyKey, attempt }: ToolContext): void {
    const file = openSync(this.#pathOf(runId), 'a')
    try {
      const line: JournalLine = { callId, toolName, idempotencyKey, attempt, pid: process.pid, at: Date.now() }
      writeSync(file, `${JSON.stringify(line)}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }

  linesOf(runId: string): readonly JournalLine[] {
    const path = this.#pathOf(runId)
    if (!existsSync(path)) return []
    const lines = readFileSync(path, 'utf8').split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as JournalLine)
  }

  #pathOf(runId: string): string {
    return join(this.#folder, `${runId}.jsonl`)
  }
}

/** What a tool answers, and what a policy takes for its result where the journal has the line. */
export function resultOf({ toolName, callId }: Pick<JournalLine, 'toolName' | 'callId'>): string {
  return `${toolName} did ${callId}`
}
