import type { Session } from '../../stores/postgres/session.ts'
import { type MemoryRows, type NewRow, type RowVectors, storedRow } from '../memory-rows.ts'
import { contextWeight, indexedWords } from '../memory-words.ts'

/** The maximum indexed letters of a text; the server's word vectors have at most a million bytes. */
const mostIndexed = 200_000

const vectorsATime = 200

const columns = 'number, kind, data, key, at, session'

const rowsAfter = `
  SELECT DISTINCT later.number FROM @.memories AS row CROSS JOIN LATERAL (
    SELECT number FROM @.memories AS other
    WHERE other.owner = row.owner AND other.session = row.session AND (other.at, other.number) > (row.at, row.number)
    ORDER BY other.at, other.number LIMIT 1) AS later
  WHERE row.number = ANY($1::bigint[])`

/** Indexes rows by their own words, and by those of the previous row of their session. */
const index = `
  UPDATE @.memories AS row SET words = setweight(to_tsvector($2::text::regconfig, row.text), 'A') || setweight(
    to_tsvector($2::text::regconfig, coalesce((
      SELECT text FROM @.memories AS earlier
      WHERE earlier.owner = row.owner AND earlier.session = row.session
        AND (earlier.at, earlier.number) < (row.at, row.number)
      ORDER BY earlier.at DESC, earlier.number DESC LIMIT 1), '')), 'B')
  WHERE number = ANY($1::bigint[])`

/** Returns the rows with words of an input; rarer words of the owner's memories count more. */
const search = `
  WITH wanted AS (
    SELECT plainto_tsquery('simple', lexeme) AS word FROM unnest(to_tsvector($2::text::regconfig, $3::text))
  ), size AS (
    SELECT count(*) AS rows FROM @.memories WHERE owner = $1
  ), hits AS (
    SELECT number, ts_rank('{0, 0, ${contextWeight}, 1}'::real[], words, word, 1) AS rank,
      count(*) OVER (PARTITION BY word) AS holders
    FROM wanted JOIN @.memories ON owner = $1 AND words @@ word
  ), best AS (
    SELECT number, sum(rank * ln(1 + (rows - holders + 0.5) / (holders + 0.5))) AS score
    FROM hits CROSS JOIN size GROUP BY number ORDER BY score DESC, number DESC LIMIT $4
  )
  SELECT ${columns} FROM best JOIN @.memories USING (number) ORDER BY score DESC, at DESC, number DESC`

const insert = `
  INSERT INTO @.memories (owner, kind, key, data, text, at, session, words)
  VALUES ($1, $2, $3, $4, $5, $6, $7, '') RETURNING number`

const beyond = 'SELECT number FROM @.memories WHERE owner = $1 ORDER BY at DESC, number DESC OFFSET $2 LIMIT 100'

/** Returns the tables of a memory in a schema of Postgres. `words` names the text-search configuration of its words. */
export function postgresRows({ look, write, statement }: Session, words: string): MemoryRows {
  return {
    search: async (owner, wanted, most) =>
      (await look((sql) => sql(search, owner, words, wanted.join(' '), most))).map(storedRow),
    rows: async (owner, numbers) => {
      const read = `SELECT ${columns} FROM @.memories WHERE owner = $1 AND number = ANY($2::bigint[])`
      return (await look((sql) => sql(read, owner, numbers))).map(storedRow)
    },
    add: async ({ owner, kind, key, json, text, at, session }: NewRow, maxRows) =>
      await write(async (sql) => {
        // One addition of an owner at a time: two would not see each other's neighbours.
        await sql('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', owner)
        const remove = async (removed: readonly number[]) => {
          const after = (await sql(rowsAfter, removed)).map(({ number }) => Number(number))
          await sql('DELETE FROM @.memories WHERE number = ANY($1::bigint[])', removed)
          await sql(index, after, words)
        }
        const old = await sql('SELECT number FROM @.memories WHERE owner = $1 AND key = $2', owner, key)
        if (old.length > 0) await remove(old.map(({ number }) => Number(number)))
        const indexed = indexedWords(text.slice(0, mostIndexed)).join(' ')
        const [made] = await sql(insert, owner, kind, key, json, indexed, at, session)
        const number = Number(made?.['number'])
        const after = (await sql(rowsAfter, [number])).map((row) => Number(row['number']))
        await sql(index, [number, ...after], words)
        const oldest = (await sql(beyond, owner, maxRows)).map((row) => Number(row['number']))
        if (oldest.length > 0) await remove(oldest)
        return number
      }),
    addVector: async (number, vector) => {
      await statement((sql) => sql('UPDATE @.memories SET vector = $2::real[] WHERE number = $1', number, [...vector]))
    },
    vectors: (owner) => vectorsOf(look, owner),
    forget: async (owner) => {
      const remove = 'DELETE FROM @.memories WHERE owner = $1 RETURNING 1'
      return (await statement((sql) => sql(`WITH gone AS (${remove}) SELECT count(*) AS count FROM gone`, owner)))
        .map(({ count }) => Number(count))
        .reduce((sum, count) => sum + count, 0)
    },
  }
}

async function* vectorsOf(look: Session['look'], owner: string): AsyncGenerator<RowVectors> {
  const read = `SELECT number, array_to_json(vector)::text AS vector FROM @.memories
    WHERE owner = $1 AND number > $2 AND vector IS NOT NULL ORDER BY number LIMIT $3`
  for (let last = 0; ;) {
    const after = last
    const rows = await look((sql) => sql(read, owner, after, vectorsATime))
    yield rows.map(({ number, vector }) => [Number(number), Float32Array.from(JSON.parse(String(vector)))] as const)
    if (rows.length < vectorsATime) return
    last = Number(rows.at(-1)?.['number'])
  }
}
