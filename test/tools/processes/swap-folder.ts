import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Puts a link to another folder in a folder's place and takes it away again, until it is told to stop; tells each hundred. */
const [folder = '', outside = ''] = process.argv.slice(2)
let isOver = false
process.once('message', () => (isOver = true))
for (let count = 1; !isOver; count++) {
  insist(() => renameSync(folder, `${folder}-away`))
  insist(() => {
    rmSync(folder, { recursive: true, force: true })
    symlinkSync(outside, folder)
  })
  insist(() => {
    rmSync(folder, { recursive: true, force: true })
    renameSync(`${folder}-away`, folder)
  })
  if (count % 100 === 0) process.send?.(count)
  await nextTurn()
}
process.disconnect()

/** Somebody may make a folder of that name meanwhile, or a file in it. */
function insist(act: () => void): void {
  for (;;) {
    try {
      act()
      return
    } catch {
      continue
    }
  }
}
