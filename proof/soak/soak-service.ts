import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contract } from '../../src/core/ports/define-contract.ts'
import type { JournalLine } from '../support/journal.ts'

/** The request of a soak's runs to a service in another process. */
export const payment = contract({
  type: 'pay',
  version: '1',
  accepts: { type: 'object' },
  emits: { paid: { type: 'object' } },
})

/** Both sides have it. */
export const secret = `whsec_${btoa('a soaked secret of 32 characters')}`

/** The loopback ports of each side. */
export interface SoakPorts {
  /** Of the service, which is killed. */
  readonly service: number
  /** Of whoever takes the answers in. */
  readonly answers: number
}

/** The file from which a soak's process reads the ports. */
export function portsIn(folder: string): SoakPorts {
  return JSON.parse(readFileSync(join(folder, 'ports.json'), 'utf8')) as SoakPorts
}

/** The address of events on a port of loopback. */
export function eventsAt(port: number): string {
  return `http://127.0.0.1:${port}/events`
}

interface EventName {
  readonly source: string
  readonly id: string
}

/** The events and effects of a service, in files that outlive it: each event is acted on once, by source and id. */
export class SoakDeeds {
  readonly #heard: string
  readonly #done: string

  constructor(folder: string) {
    this.#heard = join(folder, 'heard.jsonl')
    this.#done = join(folder, 'done.jsonl')
  }

  act({ source, id }: EventName): void {
    const line = `${JSON.stringify({ source, id })}\n`
    appendFileSync(this.#heard, line, { flush: true })
    if (!linesIn(this.#done).some((done) => done.source === source && done.id === id))
      appendFileSync(this.#done, line, { flush: true })
  }

  /** Events that came, repeats included. */
  get heard(): number {
    return linesIn(this.#heard).length
  }

  /** Events that were acted on, by the id of their run. */
  byRun(): ReadonlyMap<string, readonly JournalLine[]> {
    const found = new Map<string, JournalLine[]>()
    for (const { source, id } of linesIn(this.#done)) {
      const runId = source.slice(source.lastIndexOf('/') + 1)
      const line = { callId: id, toolName: 'pay', idempotencyKey: `${source} ${id}`, attempt: 1, pid: 0, at: 0 }
      found.set(runId, [...(found.get(runId) ?? []), line])
    }
    return found
  }
}

function linesIn(path: string): readonly EventName[] {
  if (!existsSync(path)) return []
  const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return whole.map((line) => JSON.parse(line) as EventName)
}
