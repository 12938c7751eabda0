import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolContext } from '../../src/core/ports/tool.ts'
import type { JournalLine } from '../support/journal.ts'

interface FencedLine extends JournalLine {
  /** A performance began, or it acted. */
  readonly kind: 'began' | 'acted'
  readonly fence: number
}

/**
 * The outside, as one that compares fences: a file a run, to which each line is added in one piece. What an earlier
 * driver adds after a later one has been seen does not count; the order in the file says which came first.
 */
export class FencedJournal {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Shows the fence of a performance, before it does anything. */
  begin(context: ToolContext): void {
    this.#add('began', context)
  }

  /** Acts; throws where a later driver has been seen. */
  act(context: ToolContext): void {
    this.#add('acted', context)
    const isTaken = this.linesOf(context.runId).some((line) => isOf(line, context) && line.fence === context.fence)
    if (!isTaken) throw new Error(`Fence ${context.fence} is over.`)
  }

  /** True where a performance of the call has acted. */
  has(context: Pick<ToolContext, 'runId' | 'callId'>): boolean {
    return this.linesOf(context.runId).some((line) => isOf(line, context))
  }

  /** The effects, oldest first. */
  linesOf(runId: string): readonly FencedLine[] {
    return this.#judged(runId).flatMap(({ line, isLate }) => (line.kind === 'acted' && !isLate ? line : []))
  }

  /** The effects that were refused because a later driver had been seen. */
  lateOf(runId: string): readonly FencedLine[] {
    return this.#judged(runId).flatMap(({ line, isLate }) => (isLate ? line : []))
  }

  #judged(runId: string): readonly { readonly line: FencedLine; readonly isLate: boolean }[] {
    let highest = 0
    return this.#read(runId).map((line) => {
      highest = Math.max(highest, line.fence)
      return { line, isLate: line.fence < highest }
    })
  }

  #read(runId: string): readonly FencedLine[] {
    const path = this.#pathOf(runId)
    if (!existsSync(path)) return []
    const lines = readFileSync(path, 'utf8').split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as FencedLine)
  }

  #add(kind: FencedLine['kind'], context: ToolContext): void {
    const { runId, callId, toolName, idempotencyKey, attempt, fence } = context
    const line: FencedLine = {
      kind,
      callId,
      toolName,
      idempotencyKey,
      attempt,
      fence,
      pid: process.pid,
      at: Date.now(),
    }
    appendFileSync(this.#pathOf(runId), `${JSON.stringify(line)}\n`, { flush: true })
  }

  #pathOf(runId: string): string {
    return join(this.#folder, `${runId}.jsonl`)
  }
}

function isOf(line: FencedLine, { callId }: Pick<ToolContext, 'callId'>): boolean {
  return line.callId === callId
}
