import {
  type Journal,
  judgeEntry,
  keysBehind,
  noHead,
  type Wake,
} from '../../src/adapters/stores/replicated/journal.ts'

/** A journal that an engine would keep, in this process. */
export interface MemoryJournal extends Journal {
  readonly texts: Map<string, string>
  /** Every alarm that was set. */
  readonly wakes: readonly Wake[]
}

/** An empty journal, which answers with at most so many texts at once. */
export function memoryJournal(pageOf = 3, mostLength = 16_000_000): MemoryJournal {
  let head = noHead
  const texts = new Map<string, string>()
  const wakes: Wake[] = []
  return {
    mostLength,
    texts,
    wakes,
    async read(known) {
      const { isWhole, keys } = keysBehind(head, known)
      const found = keys.slice(0, pageOf).flatMap((key) => texts.get(key) ?? [])
      return { head, isWhole, texts: found, left: keys.length - found.length }
    },
    async append(entry) {
      const judged = judgeEntry(head, structuredClone(entry))
      head = judged.head
      for (const [key, text] of judged.writes)
        if (text === undefined) texts.delete(key)
        else texts.set(key, text)
      if (judged.wake !== undefined) wakes.push(judged.wake)
      return { head, isRepeated: false }
    },
  }
}
