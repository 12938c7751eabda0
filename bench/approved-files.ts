import { createAgent } from '../src/index.ts'
import type { Store } from '../src/core/ports/store.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import { fileTools } from '../src/adapters/tools/files.ts'
import { BareStore } from './bare-store.ts'
import { modelThat } from './counting-agent.ts'
import { assistantMessage, callId, linesOf, promptMessage, resultMessage } from './texts.ts'
import { inFolder } from './workloads/file-changes.ts'

/** One round of new files that somebody approves together. */
export interface ApprovedFiles {
  readonly files: number
  readonly bytes: number
  readonly path: string
}

/** Writes so many files by the package's own tool: previewed, approved by an agent on another connection, and written. */
export async function approvedFiles({ files, bytes, path }: ApprovedFiles): Promise<void> {
  const stores = [0, 1].map(() => sqliteStore(path, { synchronous: 'normal' }))
  const [first, second] = stores
  if (first === undefined || second === undefined) throw new Error('There are two stores.')
  await inFolder(async (root) => {
    const { runId } = await agentOn(first, root, { files, bytes }).run('Go.')
    const run = await agentOn(second, root, { files, bytes }).load(runId)
    const { suspended } = await run.result()
    await run.decide(suspended.map(({ callId: target }) => ({ target, action: 'resume' as const })))
    const { status } = await run.settled()
    if (status !== 'done' || suspended.length !== files)
      throw new Error(`Of ${suspended.length} files it is ${status}.`)
  })
  for (const store of stores) await store.close()
}

/** The same texts, each kept once: what is asked for, what is shown, and the results when they come. */
export async function bareApprovedFiles({ files, bytes, path }: ApprovedFiles): Promise<void> {
  const store = new BareStore(path, 'normal')
  const contents = Array.from({ length: files }, (_, index) => linesOf(index, bytes))
  let seq = 0
  store.append('run', ++seq, promptMessage())
  store.append('run', ++seq, { ...assistantMessage(0, files), contents })
  for (const preview of contents) store.append('run', ++seq, { preview })
  store.read('run')
  for (const index of contents.keys()) store.append('run', ++seq, resultMessage(0, index))
  store.close()
}

function agentOn(store: Store, root: string, { files, bytes }: Omit<ApprovedFiles, 'path'>) {
  const calls = Array.from({ length: files }, (_, index) => ({
    id: callId(0, index),
    name: 'write_file',
    arguments: { path: `file-${index}`, content: linesOf(index, bytes) },
  }))
  const model = modelThat((asked) => (asked === 1 ? { calls } : {}))
  return createAgent({ name: 'bench', model, tools: fileTools({ root }), store, limits: false })
}
