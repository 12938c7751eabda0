import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/**
 * The floor: a process that writes the rows of one run in three transactions, as the other program does and as often, and
 * does nothing else in them. `cycleMs` is the time of a run there.
 */
const [path = '', synchronous = 'full', cycleMs] = process.argv.slice(2)
const database = new DatabaseSync(path)
database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA busy_timeout = 1000`)
const run = database.prepare("SELECT * FROM runs WHERE status = 'done' ORDER BY number DESC LIMIT 1").get() ?? {}
const log = database.prepare('SELECT * FROM log ORDER BY id DESC LIMIT 20').all()
const last = log.filter(({ id }) => Math.floor(Number(id) / 2 ** 24) === Number(run['number'])).toReversed()
const version = Number(last.at(-1)?.['version'])
const columns = Object.keys(run).filter((name) => name !== 'number')
const insertRun = database.prepare(
  `INSERT INTO runs (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
)
const insertInput = database.prepare("INSERT OR REPLACE INTO inputs (number, body) VALUES (?, '{}')")
const insertLog = database.prepare('INSERT INTO log (id, version, kind, body, document) VALUES (?, ?, ?, ?, ?)')
const updateRun = database.prepare("UPDATE runs SET status = 'done', reason = 'completed' WHERE id = ?")
process.stdin.on('end', () => process.exit(0)).resume()
console.log('ready')
for (;;) {
  const id = crypto.randomUUID()
  let number = 0
  write(() => {
    number = Number(insertRun.run(...columns.map((name) => (name === 'id' ? id : valueOf(run[name])))).lastInsertRowid)
    insertInput.run(number)
  })
  write(() => insertRows(number, (row) => Number(row['version']) < version))
  write(() => {
    insertRows(number, (row) => row['version'] === version)
    updateRun.run(id)
  })
  await new Promise((resolve) => setImmediate(resolve))
}

/** One transaction, a third of a cycle after the one before it. */
function write(work: () => void): void {
  const until = performance.now() + Number(cycleMs) / 3
  try {
    database.exec('BEGIN IMMEDIATE')
    work()
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    if (!(error instanceof Error) || !error.message.includes('locked')) throw error
  }
  while (performance.now() < until);
}

function insertRows(number: number, isWanted: (row: (typeof last)[number]) => boolean): void {
  for (const row of last.filter(isWanted)) {
    const id = number * 2 ** 24 + (Number(row['id']) % 2 ** 24)
    insertLog.run(id, ...['version', 'kind', 'body', 'document'].map((name) => valueOf(row[name])))
  }
}

function valueOf(value: SQLInputValue | undefined): SQLInputValue {
  return value ?? null
}
