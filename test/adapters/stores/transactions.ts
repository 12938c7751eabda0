import { readFileSync } from 'node:fs'

/** Counts the write transactions in a write-ahead log: its frames that say how large the database is after them. */
export function transactionsOf(wal: string): number {
  const bytes = readFileSync(wal)
  if (bytes.length === 0) return 0
  const frame = 24 + bytes.readUInt32BE(8)
  let count = 0
  for (let offset = 32; offset + frame <= bytes.length; offset += frame) {
    if (bytes.readUInt32BE(offset + 4) > 0) count++
  }
  return count
}
