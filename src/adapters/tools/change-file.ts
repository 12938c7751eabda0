import type { ProbeAnswer, ProbeQuestion, Suspended, ToolContext, ToolResult } from '../../core/ports/tool.ts'
import { confinePath } from './confine-path.ts'
import { errorCode, failed } from './file-failure.ts'
import { absentFile, applyChange, type FileChange, type FileState, stateOf } from './file-change.ts'
import { type FilePreview, filePreview, isOutdated } from './file-preview.ts'
import { type HeldPlace, inFolderOf, type InsidePath, textAt, withPath, kindAt } from './held-place.ts'
import { showChange } from './render-diff.ts'
import { resolvedPath } from './resolved-path.ts'
import type { TextFiles } from './text-files.ts'
import { nextLoopTurn } from '../../core/domain/text/platform.ts'
import { isStoreHeader, storeHeaderBytes } from '../../core/domain/store-file.ts'
import { readIn } from './held-folder.ts'

/** A request to change one file. */
export interface ChangeWish {
  readonly root: string
  readonly path: string
  readonly makes: boolean
  readonly texts: TextFiles | undefined
  /** Returns the new content for a state of the file; a string is an error message for the model. */
  readonly plan: (before: FileState, shown: string) => Planned | Promise<Planned>
  /** Returns true if a file with this text has the change already; undefined if that is unclear. */
  readonly isMade: (text: string) => boolean | undefined
}

type Planned = { readonly after: string } | { readonly wrong: string }

/** Returns the common parts of the tools that change a file. They ask first unless `write` is `allow`. */
export function changing<Input>(root: string, write: 'approval' | 'allow', wishOf: (input: Input) => ChangeWish) {
  return {
    ruleFields: { path: resolvedPath(root) },
    ...(write === 'approval' ? { needs: 'approval' as const } : {}),
    effects: 'once' as const,
    preview: (input: Input, { signal }: Pick<ToolContext, 'signal'>) => previewChange(wishOf(input), signal),
    execute: (input: Input, context: ToolContext) => changeFile(wishOf(input), context),
    probe: ({ arguments: given, signal }: ProbeQuestion<Input>) => probeChange(wishOf(given), signal),
  }
}

/** Changes a file that is still in the state of its preview. A call with a preview of another state asks again. */
async function changeFile(wish: ChangeWish, context: ToolContext): Promise<ToolResult | Suspended> {
  return await atFile(wish, context.signal, async (inside) => {
    const at = { makes: wish.makes, ...textAt(inside, wish.texts, context.signal) }
    const result = await inFolderOf(inside, (place) => changePlace(place, wish, context), at)
    return result ?? notAFile(inside.shown)
  })
}

/** Compares the file with the result of the change. Files are replaced atomically, so a file is never half-written. */
async function probeChange(wish: ChangeWish, signal: AbortSignal): Promise<ProbeAnswer> {
  const found = await atFile(wish, signal, async (inside) => {
    const state = await inFolderOf(inside, stateOf, textAt(inside, wish.texts, signal)).catch((error: unknown) => {
      if (wish.makes && errorCode(error) === 'ENOENT') return absentFile
      throw error
    })
    return { state: state ?? undefined, shown: inside.shown }
  })
  if (!('state' in found)) return { status: 'unknown', evidence: textOf(found) }
  const { state, shown } = found
  if (state?.stamp === 'absent' && wish.makes) return { status: 'notDone', runAgain: true }
  const isMade = state?.text === undefined ? undefined : wish.isMade(state.text)
  if (isMade === undefined) return { status: 'unknown', evidence: `"${shown}" holds something else now.` }
  if (!isMade) return { status: 'notDone', runAgain: true }
  const bytes = state?.bytes ?? 0
  return { status: 'done', result: { content: [{ type: 'text', text: `Wrote ${shown} (${bytes} bytes).` }] } }
}

/** Previews `changeFile`, or says in brackets why it would fail. Creates no folders. */
async function previewChange(wish: ChangeWish, signal: AbortSignal): Promise<FilePreview | string> {
  const planned = await inTurn(signal, () => planAt(wish, signal))
  return 'content' in planned ? `[As things are now, the call would fail: ${textOf(planned)}]` : planned
}

async function planAt(wish: ChangeWish, signal: AbortSignal): Promise<FilePreview | ToolResult> {
  return await atFile(wish, signal, async (inside) => {
    const planIn = (place: HeldPlace) => planPlace(place, wish)
    const change = await inFolderOf(inside, planIn, textAt(inside, wish.texts, signal)).catch((error: unknown) => {
      if (wish.makes && errorCode(error) === 'ENOENT') return planFrom(absentFile, wish, inside.shown)
      throw error
    })
    if (change === undefined) return notAFile(inside.shown)
    return 'before' in change ? await filePreview(inside.shown, change) : change
  })
}

async function atFile<T>(
  { root, path }: ChangeWish,
  signal: AbortSignal,
  work: (inside: InsidePath) => Promise<T>,
): Promise<T | ToolResult> {
  return await withPath<T | ToolResult>(
    path,
    signal,
    () => confinePath(root, path),
    async (inside) => (isKept(inside.shown) ? kept(inside.shown) : await work(inside)),
  )
}

/** Returns true for paths whose contents git would run or the engine relies on. */
function isKept(shown: string): boolean {
  return shown.split('/').some((name) => ['.git', '.statewright'].includes(name.toLowerCase()))
}

function kept(shown: string): ToolResult {
  return failed(`Tools may not access "${shown}". Choose another path.`)
}

function notAFile(shown: string): ToolResult {
  return failed(`"${shown}" is a folder or a special file. Name a file.`)
}

async function changePlace(place: HeldPlace, wish: ChangeWish, context: ToolContext): Promise<ToolResult | Suspended> {
  const change = await planPlace(place, wish)
  if (!('before' in change)) return change
  const { shown } = place
  if (isOutdated(context, shown, change)) {
    const message = `"${shown}" has changed since this call was shown. Nothing was written: it is asked for again, as things are now.`
    const preview = await inTurn(context.signal, () => filePreview(shown, change))
    return context.suspend({ reason: 'approval', message, preview })
  }
  const refusal = await applyChange(place, change, context)
  return refusal ?? (await told(shown, change, context.signal))
}

async function planPlace(place: HeldPlace, wish: ChangeWish): Promise<FileChange | ToolResult> {
  if (await isOfStore(place)) return kept(place.shown)
  const before = await stateOf(place)
  return before === undefined ? notAFile(place.shown) : await planFrom(before, wish, place.shown)
}

async function planFrom(before: FileState, wish: ChangeWish, shown: string): Promise<FileChange | ToolResult> {
  const planned = await wish.plan(before, shown)
  if ('wrong' in planned) return failed(planned.wrong)
  const { after } = planned
  return after.isWellFormed() ? { before, after } : failed(halfCharacter(shown, after))
}

/** UTF-8 has no form for it: something else would be written. */
function halfCharacter(shown: string, text: string): string {
  const at = text.search(/\p{Cs}/u)
  const code = text.charCodeAt(at).toString(16).toUpperCase()
  return `"${shown}" would hold half of a character, U+${code} without its other half, at position ${at}. Nothing was written. Give whole characters.`
}

async function told(shown: string, change: FileChange, signal: AbortSignal): Promise<ToolResult> {
  const bytes = Buffer.byteLength(change.after)
  const verb = change.before.stamp === 'absent' ? 'Created' : 'Replaced'
  const { diff } = await inTurn(signal, () => showChange(shown, change))
  return {
    content: [{ type: 'text', text: `${verb} ${shown} (${bytes} bytes).` }],
    details: { path: shown, bytes, diff },
  }
}

function textOf({ content }: ToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n')
}

let last: Promise<unknown> = Promise.resolve()

/** Works after the work before it, so that only one large text is held at a time. Aborted work delays nothing. */
async function inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const mine = whenFree(last, signal, work)
  const given = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  last = Promise.race([mine.catch(() => {}), given])
  return await mine
}

async function whenFree<T>(before: Promise<unknown>, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await before
  await nextLoopTurn()
  signal.throwIfAborted()
  return await work()
}

const besideStore = /-(?:wal|shm|journal)$/

/**
 * Returns true for a store of this package, recognised by its content and not its name, and for the additional files of
 * an SQLite store.
 */
async function isOfStore(place: HeldPlace): Promise<boolean> {
  const beside = { ...place, name: place.name.replace(besideStore, '') }
  return (await isStore(place)) || (beside.name !== place.name && (await isStore(beside)))
}

async function isStore(place: HeldPlace): Promise<boolean> {
  if ((await kindAt(place)) !== 'file') return false
  return isStoreHeader(await readIn(place.folder, place.name, storeHeaderBytes))
}
