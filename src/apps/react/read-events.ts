import type { AgentEvent } from '../../core/domain/event.ts'

/** The events of a response of Server-Sent Events, as many at a time as have come. */
export async function* readEvents({ body }: Response): AsyncGenerator<readonly AgentEvent[]> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  let parts: string[] = []
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) return
      const text = decoder.decode(value, { stream: true })
      const end = text.lastIndexOf('\n')
      if (end < 0) {
        parts.push(text)
        continue
      }
      const lines = [...parts, text.slice(0, end)].join('').split('\n')
      parts = [text.slice(end + 1)]
      const events = lines.flatMap((line) =>
        line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as AgentEvent] : [],
      )
      if (events.length > 0) yield events
    }
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}
