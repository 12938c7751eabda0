import { hashText } from '../../../core/domain/text/json.ts'
import { number, text } from '../../../core/stores/rows/columns.ts'
import { createWatchers, type Watchers } from '../../../core/stores/rows/watchers.ts'
import type { PostgresClient } from './postgres-pool.ts'
import { originalText } from './safe-text.ts'
import { quoted, type Session } from './session.ts'

/** Returns the name of the channel for notifications about the inboxes of a schema, with at most 63 bytes. */
export function channelOf(schema: string): string {
  return `statewright_${hashText(schema)}`
}

/** The notification about a row of an inbox. */
export interface Notice {
  /** The connections of its sender, whose own watchers have been notified already. */
  readonly sender: string
  /** The id of the row; ids of one inbox rise. */
  readonly row: number
  readonly runId: string
}

/** Returns a notice as text. */
export function payloadOf({ sender, row, runId }: Notice): string {
  return `${sender} ${row} ${runId}`
}

/** Returns a notice that some run may have work. */
export function workNotice(sender: string): string {
  return payloadOf({ sender, row: 0, runId: '' })
}

function noticeIn(payload: string): Notice {
  const [, sender = '', row = '', runId = ''] = /^(\S*) (\d*) (.*)$/s.exec(originalText(payload)) ?? []
  return { sender, row: Number(row), runId }
}

/** Watchers for items that other processes post. */
export interface ListeningWatchers extends Watchers {
  readonly close: () => void
}

interface ListenerOptions {
  readonly schema: string
  readonly sender: string
  /** Milliseconds between two looks of one's own, for notifications that never came. */
  readonly pollMs: number
}

const selectPosted = `
  SELECT runs.id, max(inbox.id) AS last FROM @.runs JOIN @.inbox ON run = number
  WHERE runs.id = ANY ($1::text[]) AND consumed IS NULL AND split_part(token, ' ', 1) <> $2 GROUP BY runs.id`

/**
 * Creates watchers that listen on one connection. They also poll, because notifications are missed while the connection
 * is lost.
 */
export function createListeningWatchers(
  session: Session,
  { schema, sender, pollMs }: ListenerOptions,
): ListeningWatchers {
  const seen = new Map<string, number>()
  let client: PostgresClient | undefined
  let timer: NodeJS.Timeout | undefined
  let isListening = false
  let isClosed = false

  const watchers = createWatchers((size) => {
    if (size === 0) {
      clearInterval(timer)
      timer = undefined
      seen.clear()
    } else if (timer === undefined) {
      timer = setInterval(() => void poll(), pollMs).unref()
      void listen()
    }
  })

  async function listen(): Promise<void> {
    if (isListening || isClosed) return
    isListening = true
    try {
      const connected = await session.connect()
      const lose = () => {
        if (client === connected) dropped()
      }
      client = connected
      connected.on('error', lose)
      connected.on('end', lose)
      connected.on('notification', ({ payload = '' }) => hear(noticeIn(payload)))
      await connected.query({
        text: `LISTEN ${quoted(channelOf(schema))}`,
        values: [],
        types,
        query_timeout: pollMs + 5000,
      })
      if (isClosed) return close()
      await look()
      watchers.notifyOfWork()
      // Waiting for others keeps no process alive.
      connected.unref?.()
    } catch {
      dropped()
    }
  }

  function dropped(): void {
    client?.release(true)
    client = undefined
    isListening = false
  }

  async function poll(): Promise<void> {
    if (isListening) await look().catch(() => undefined)
    else await listen()
  }

  async function look(): Promise<void> {
    const ids = watchers.runIds()
    for (const id of seen.keys()) if (!ids.includes(id)) seen.delete(id)
    const rows = await session.look((sql) => sql(selectPosted, ids, sender))
    for (const row of rows) hear({ sender: '', row: number('', row, 'last'), runId: text('', row, 'id') })
  }

  function hear(notice: Notice): void {
    const { runId, row } = notice
    if (notice.sender === sender) return
    if (runId === '') return watchers.notifyOfWork()
    if (row <= (seen.get(runId) ?? 0)) return
    if (watchers.runIds().includes(runId)) seen.set(runId, row)
    watchers.notify(runId)
  }

  function close(): void {
    isClosed = true
    dropped()
  }

  return {
    ...watchers,
    close() {
      watchers.clear()
      close()
    },
  }
}

const types = { getTypeParser: () => String }
