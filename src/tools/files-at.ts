import { holdFolder, type HeldFolder } from './held-folder.ts'
import { type HeldPlace, type InsidePath, kindAt, namesOf } from './held-place.ts'
import { walkFiles } from './walk-files.ts'

/** The one file a path names, or the files under the folder it names, as `walkFiles` meets them. */
export async function* filesAt({ root, shown }: InsidePath, signal: AbortSignal): AsyncGenerator<HeldPlace> {
  const names = namesOf(shown)
  const name = names.pop()
  const outer = await holdFolder(root, names)
  try {
    if (name === undefined) return yield* filesIn(outer, shown, signal)
    const place = { folder: outer, name, shown }
    if ((await kindAt(place)) === 'file') yield place
    else yield* filesUnder(place, signal)
  } finally {
    await outer.close()
  }
}

async function* filesUnder({ folder, name, shown }: HeldPlace, signal: AbortSignal): AsyncGenerator<HeldPlace> {
  const inner = await folder.enter(name)
  try {
    yield* filesIn(inner, shown, signal)
  } finally {
    await inner.close()
  }
}

async function* filesIn(folder: HeldFolder, shown: string, signal: AbortSignal): AsyncGenerator<HeldPlace> {
  for await (const entry of walkFiles(folder, shown, signal)) if (entry.kind === 'file') yield entry
}
