/**
 * Plays a copy of LoCoMo that the reader has fetched: each turn of a talk is one memory, each question one query. Counts
 * how much of the evidence is among the first 20, and compares the time with that of a bare FTS5 query. Nothing of the data
 * is part of this project.
 *
 * git clone --depth 1 https://github.com/snap-research/locomo && unzip locomo/data/locomo10.zip
 * npm run bench:memory -- data/multimodal_dialog/locomo10_v2 [--postgres postgres://user@host/database]
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { wordsIn } from '../src/adapters/memory/memory-words.ts'
import { postgresMemory } from '../src/adapters/memory/postgres/index.ts'
import { sqliteMemory } from '../src/adapters/memory/sqlite/index.ts'
import { isRecord } from '../src/core/domain/text/json.ts'
import type { Memory } from '../src/core/ports/memory.ts'

interface Turn {
  readonly id: string
  readonly text: string
  readonly session: string
}

interface Question {
  readonly text: string
  readonly evidence: readonly string[]
}

interface Talk {
  readonly userId: string
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { postgres: { type: 'string' } } })
const [folder] = positionals
if (folder === undefined) {
  console.error('Usage: npm run bench:memory -- <folder of LoCoMo talks> [--postgres <address>]')
  process.exit(1)
}

const most = 20
const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
const talks = names.map((name) => talkIn(name, JSON.parse(readFileSync(join(folder, name), 'utf8'))))
console.log(`${talks.length} talks, ${sum(talks.map(({ turns }) => turns.length))} turns`)

const options = { limit: most, limitBytes: 1_000_000 }
const sqlite = sqliteMemory(':memory:', options)
await fill(sqlite)
const asking = (memory: Memory): Ask => {
  return async (userId, input) => (await memory.query({ userId, input })).map(({ key }) => key)
}
// Asked in turns, so that a busy machine is slow for both.
await play({ sqliteMemory: asking(sqlite), 'bare FTS5': bareTable() })
sqlite.close()
if (values.postgres !== undefined) {
  const postgres = postgresMemory({ ...options, connectionString: values.postgres, schema: 'statewright_bench' })
  await fill(postgres)
  await play({ postgresMemory: asking(postgres) })
  for (const { userId } of talks) await postgres.forget(userId)
  await postgres.close()
}

async function fill(memory: Memory): Promise<void> {
  for (const { userId, turns } of talks) {
    for (const [at, { id: key, text: data, session }] of turns.entries()) {
      await memory.add({ userId, kind: 'turn', key, data, at, session })
    }
  }
}

type Ask = (userId: string, input: string) => Promise<readonly string[]>

async function play(subjects: Readonly<Record<string, Ask>>): Promise<void> {
  const played = Object.entries(subjects).map(([name, ask]) => ({ name, ask, counts: noCounts() }))
  for (const { userId, questions } of talks) {
    for (const { text, evidence } of questions) {
      for (const { ask, counts } of played) {
        const startedAt = performance.now()
        const found = await ask(userId, text)
        counts.ms += performance.now() - startedAt
        const places = evidence.map((id) => found.indexOf(id)).filter((place) => place >= 0)
        counts.recall20 += places.length / evidence.length
        counts.recall5 += places.filter((place) => place < 5).length / evidence.length
        counts.hit20 += places.length > 0 ? 1 : 0
        counts.rank += places.length > 0 ? 1 / (Math.min(...places) + 1) : 0
      }
    }
  }
  const asked = sum(talks.map(({ questions }) => questions.length))
  for (const { name, counts } of played) {
    const means = Object.entries(counts).map(([what, total]) => `${what} ${(total / asked).toFixed(3)}`)
    console.log(`${name.padEnd(15)} ${asked} questions: ${means.join(', ')}`)
  }
}

function noCounts() {
  return { recall20: 0, recall5: 0, hit20: 0, rank: 0, ms: 0 }
}

/** One table of all turns, each with the turn before, as one would write it without this package. */
function bareTable(): Ask {
  const database = new DatabaseSync(':memory:')
  database.exec(
    `CREATE VIRTUAL TABLE turns USING fts5(id UNINDEXED, user UNINDEXED, text, tokenize = 'porter unicode61')`,
  )
  const insert = database.prepare('INSERT INTO turns (id, user, text) VALUES (?, ?, ?)')
  for (const { userId, turns } of talks) {
    for (const [place, { id, text, session }] of turns.entries()) {
      const before = turns[place - 1]
      insert.run(id, userId, before?.session === session ? `${before.text}\n${text}` : text)
    }
  }
  const search = database.prepare('SELECT id FROM turns WHERE turns MATCH ? AND user = ? ORDER BY rank LIMIT ?')
  return async (userId, input) => {
    const words = wordsIn(input, 'english').map((word) => `"${word}"`)
    return search.all(words.join(' OR '), userId, most).map(({ id }) => String(id))
  }
}

/** A talk has its turns in fields such as `session_3`; an answer's evidence names turns, sometimes several in one text. */
function talkIn(name: string, file: unknown): Talk {
  const fields = isRecord(file) ? file : {}
  const turns = Object.entries(fields).flatMap(([session, list]) =>
    /^session_\d+$/.test(session) && Array.isArray(list) ? list.map((turn: unknown) => turnIn(session, turn)) : [],
  )
  const ids = new Set(turns.map(({ id }) => id))
  const asked = Array.isArray(fields['qa']) ? fields['qa'].filter(isRecord) : []
  const questions = asked.map(({ question, evidence }) => ({
    text: String(question),
    evidence: (Array.isArray(evidence) ? evidence : [])
      .flatMap((text: unknown) => String(text).split(/[;,\s]+/))
      .filter((id) => ids.has(id)),
  }))
  return { userId: name, turns, questions: questions.filter(({ evidence }) => evidence.length > 0) }
}

function turnIn(session: string, turn: unknown): Turn {
  const { dia_id: id, speaker, text } = isRecord(turn) ? turn : {}
  return { id: String(id), text: `${String(speaker)}: ${String(text)}`, session }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
