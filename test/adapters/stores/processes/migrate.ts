import { DatabaseSync } from 'node:sqlite'
import { openDatabase } from '../../../../src/adapters/stores/sqlite/open.ts'
import { newerLayout } from '../older-layout.ts'

// Opens a file of the older layout. It kills itself before the statement of a number inside the migration, if one is given.

const [path = '', turn] = process.argv.slice(2)
const { exec } = DatabaseSync.prototype
let statements = 0
DatabaseSync.prototype.exec = function (sql) {
  if (turn !== undefined && this.isTransaction && statements++ === Number(turn)) process.kill(process.pid, 'SIGKILL')
  return exec.call(this, sql)
}
openDatabase(path, { synchronous: 'full', layout: newerLayout }).close()
process.stdout.write('migrated\n')
