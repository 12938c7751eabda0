import type { ToolContext, ToolResult } from '../ports/tool.ts'
import { confinePath } from './confine-path.ts'
import { failed } from './file-failure.ts'
import { applyChange, type FileChange, type FileState, stateOf } from './file-change.ts'
import { isOfStore } from './kept-file.ts'
import { type HeldPlace, inFolderOf, withPath } from './held-place.ts'
import { renderDiff } from './render-diff.ts'

/** What a tool that changes one file wants of it: its new content, or what is wrong with the wish. */
export interface ChangeWish {
  readonly root: string
  readonly path: string
  /** Creates missing folders. */
  readonly makes: boolean
  /** The new content, by the state the file is in; a string that says what is wrong is an error for the model. */
  readonly plan: (before: FileState, shown: string) => { readonly after: string } | { readonly wrong: string }
}

/** The one way in which tools change a file: plan by its state, show as a diff, replace if it is still in that state. */
export async function changeFile(wish: ChangeWish, context: ToolContext): Promise<ToolResult> {
  return await withPath(
    wish.path,
    context.signal,
    () => confinePath(wish.root, wish.path),
    async (inside) => {
      if (isKept(inside.shown)) return kept(inside.shown)
      const result = await inFolderOf(inside, (place) => changePlace(place, wish, context), { makes: wish.makes })
      return result ?? notAFile(inside.shown)
    },
  )
}

/** Writing into these would change what git runs or what the engine knows. */
function isKept(shown: string): boolean {
  return shown.split('/').some((name) => ['.git', '.statewright'].includes(name.toLowerCase()))
}

function kept(shown: string): ToolResult {
  return failed(`"${shown}" is kept from tools. Choose another path.`)
}

function notAFile(shown: string): ToolResult {
  return failed(`"${shown}" is a folder or a special file. Name a file.`)
}

async function changePlace(place: HeldPlace, wish: ChangeWish, context: ToolContext): Promise<ToolResult> {
  if (await isOfStore(place)) return kept(place.shown)
  const before = await stateOf(place)
  if (before === undefined) return notAFile(place.shown)
  const planned = wish.plan(before, place.shown)
  if ('wrong' in planned) return failed(planned.wrong)
  const change: FileChange = { before, after: planned.after }
  const refusal = await applyChange(place, change, context)
  return refusal ?? told(place.shown, change)
}

function told(shown: string, change: FileChange): ToolResult {
  const bytes = Buffer.byteLength(change.after)
  const verb = change.before.stamp === 'absent' ? 'Created' : 'Replaced'
  return {
    content: [{ type: 'text', text: `${verb} ${shown} (${bytes} bytes).` }],
    details: { path: shown, bytes, diff: renderDiff(shown, change) },
  }
}
