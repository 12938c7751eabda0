import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'
import { bundleWorker } from './bundle-worker.ts'
import { startWorkerd } from './workerd.ts'

/** A case of a suite that runs inside an object. */
export interface ObjectCase {
  readonly name: string
  /** Rejects with what the case says. */
  readonly run: () => Promise<void>
}

/** The suites of stores and workers, inside objects of workerd; each case has an object of its own. */
export interface ObjectSuites extends AsyncDisposable {
  readonly store: readonly ObjectCase[]
  readonly worker: readonly ObjectCase[]
}

/** Starts workerd with the suites. */
export async function objectSuites(): Promise<ObjectSuites> {
  const folder = mkdtempSync(join(tmpdir(), 'objects-'))
  const script = await bundleWorker('proof/engines/workers/store-worker.ts', { hasNode: true, plugins: [withEnded] })
  const { url, kill } = await startWorkerd({ folder, script, hasNode: true })
  const names = (await (await fetch(url)).json()) as Readonly<Record<string, readonly string[]>>
  const casesOf = (suite: string) =>
    (names[suite] ?? []).map((name, index) => ({ name, run: () => runCase(url, suite, index) }))
  return {
    store: casesOf('store'),
    worker: casesOf('worker'),
    [Symbol.asyncDispose]: async () => {
      await kill()
      rmSync(folder, { recursive: true })
    },
  }
}

async function runCase(url: string, suite: string, index: number): Promise<void> {
  const response = await fetch(`${url}/${suite}-${index}?suite=${suite}&case=${index}`)
  if (!response.ok) throw new Error(await response.text())
}

/** An object has no processes; the suites need one that has ended. */
const withEnded: Plugin = {
  name: 'with-ended',
  resolveId: (id) => (id.endsWith('/this-process.ts') ? `${import.meta.dirname}/workers/ended-process.ts` : null),
}
