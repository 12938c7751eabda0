import { checkFilter, listed } from './list-sessions.ts'
import { mergeSessions } from './merge-sessions.ts'
import { checkSessionId } from './session-id.ts'
import { headOf, type SessionHead } from './session-record.ts'
import type { SessionStore } from './session-store.ts'
import { decodeSession, encodeSession, sessionStoreClosed, sessionUnknown } from './session-text.ts'

/** Keeps sessions in the memory of this process. */
export function memorySessionStore(): SessionStore {
  const kept = new Map<string, { readonly text: string; readonly head: SessionHead }>()
  let isOpen = true

  function textOf(sessionId: string): string {
    checkSessionId(sessionId)
    checkOpen()
    const found = kept.get(sessionId)
    if (found === undefined) throw sessionUnknown(sessionId)
    return found.text
  }

  function checkOpen(): void {
    if (!isOpen) throw sessionStoreClosed()
  }

  return {
    async save(session) {
      checkOpen()
      const text = encodeSession(session)
      const { id } = session
      const merged = kept.has(id) ? mergeSessions(decodeSession(textOf(id), id, `Session "${id}"`), session) : session
      kept.set(id, { text: merged === session ? text : encodeSession(merged), head: headOf(merged) })
    },
    load: async (sessionId) => decodeSession(textOf(sessionId), sessionId, `Session "${sessionId}"`),
    async list(filter = {}) {
      checkFilter(filter)
      checkOpen()
      return listed(
        [...kept.values()].map(({ head }) => head),
        [],
        filter,
      )
    },
    async delete(sessionId) {
      textOf(sessionId)
      kept.delete(sessionId)
    },
    async close() {
      isOpen = false
    },
  }
}
