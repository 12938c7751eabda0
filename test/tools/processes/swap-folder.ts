import { renameSync, rmSync, symlinkSync } from 'node:fs'

/** Puts a link to another folder in a folder's place and takes it away again, as often as told. */
const [folder = '', outside = '', times = ''] = process.argv.slice(2)
process.send?.('started')
for (let count = 0; count < Number(times); count++) {
  renameSync(folder, `${folder}-away`)
  insist(() => symlinkSync(outside, folder))
  insist(() => renameSync(folder, `${folder}-link`))
  insist(() => renameSync(`${folder}-away`, folder))
}

/** Somebody may have made a folder of that name meanwhile. */
function insist(act: () => void): void {
  for (;;) {
    try {
      act()
      return
    } catch {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
