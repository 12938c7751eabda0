import type { RunTexts } from '../chat/run-response.ts'
import type { AgUiEncoder } from './encode-run.ts'
import type { AgUiEvent } from './events.ts'

/** The events of a run of AG-UI as texts of Server-Sent Events. */
export function eventTexts(encoder: AgUiEncoder): RunTexts {
  return {
    begin: () => textOf(encoder.begin()),
    encode: (event) => textOf(encoder.encode(event)),
    finish: () => textOf(encoder.finish()),
  }
}

function textOf(events: readonly AgUiEvent[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}
