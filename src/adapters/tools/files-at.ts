import { holdFolder, type HeldFolder } from './held-folder.ts'
import { type HeldPlace, type InsidePath, kindAt, namesOf } from './held-place.ts'
import { walkFiles } from './walk-files.ts'

/** A found file, and whether it is worth reading. */
export interface FoundFile extends HeldPlace {
  readonly isPromising: boolean
}

/** Returns the names of the files of a folder that are worth reading, or undefined for all. */
export type Promises = (folder: HeldFolder) => Promise<ReadonlySet<string> | undefined>

/** Yields the file at a path, or the files under the folder at the path, as `walkFiles` finds them. */
export async function* filesAt(
  { root, shown }: InsidePath,
  promises: Promises,
  signal: AbortSignal,
): AsyncGenerator<FoundFile> {
  const names = namesOf(shown)
  const name = names.pop()
  const outer = await holdFolder(root, names)
  try {
    if (name === undefined) return yield* filesIn(outer, shown, promises, signal)
    const place = { folder: outer, name, shown }
    if ((await kindAt(place)) === 'file') yield { ...place, isPromising: true }
    else yield* filesUnder(place, promises, signal)
  } finally {
    await outer.close()
  }
}

async function* filesUnder(
  { folder, name, shown }: HeldPlace,
  promises: Promises,
  signal: AbortSignal,
): AsyncGenerator<FoundFile> {
  const inner = await folder.enter(name)
  try {
    yield* filesIn(inner, shown, promises, signal)
  } finally {
    await inner.close()
  }
}

async function* filesIn(
  folder: HeldFolder,
  shown: string,
  promises: Promises,
  signal: AbortSignal,
): AsyncGenerator<FoundFile> {
  const promising = await promises(folder)
  const start = shown === '.' ? 0 : shown.length + 1
  for await (const { kind, ...place } of walkFiles(folder, shown, signal)) {
    if (kind === 'file') yield { ...place, isPromising: promising?.has(place.shown.slice(start)) ?? true }
  }
}
