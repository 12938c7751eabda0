import type { AgentEvent } from '../../index.ts'
import { ask } from './client.ts'

/**
 * The events of a run behind a number, until it rests. Reading by `fetch`, not by an `EventSource`, tells why a stream
 * could not be had.
 */
export async function readEvents(
  runId: string,
  after: number,
  { signal, tell }: { readonly signal: AbortSignal; tell(events: readonly AgentEvent[]): void },
): Promise<void> {
  const response = await ask(`runs/${encodeURIComponent(runId)}/events?after=${after}`, { signal })
  if (response.status === 204 || response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let pieces: string[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    // An event is one line of data, whole at its end: the blank line behind it may come with what follows.
    const end = value.lastIndexOf('\n')
    if (end < 0) {
      pieces.push(value)
      continue
    }
    const text = pieces.join('') + value.slice(0, end)
    pieces = [value.slice(end + 1)]
    tell(eventsIn(text))
  }
}

function eventsIn(text: string): readonly AgentEvent[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as AgentEvent)
}
