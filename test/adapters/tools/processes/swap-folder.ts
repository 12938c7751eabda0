import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Puts a link to another folder in a folder's place and takes it away again, until its channel is closed; tells each hundred. */
const [folder = '', outside = ''] = process.argv.slice(2)
for (let count = 1; process.connected; count++) {
  insist(() => renameSync(folder, `${folder}-away`))
  insist(() => {
    rmSync(folder, { recursive: true, force: true })
    symlinkSync(outside, folder)
  })
  insist(() => {
    rmSync(folder, { recursive: true, force: true })
    renameSync(`${folder}-away`, folder)
  })
  // The channel may be closed between the question and the sending; that is the end, and no failure.
  if (count % 100 === 0 && process.connected) process.send?.(count, undefined, {}, () => {})
  await nextTurn()
}

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
