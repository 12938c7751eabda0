import { join } from 'node:path'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { clerk, type ClerkOptions, journalIn, noted, prompt, runId } from './clerk.ts'
import { printEvents } from './print-events.ts'

const [step = '', repository = '', folder = ''] = process.argv.slice(2)

/** The steps of the three processes. */
const steps: Readonly<Record<string, (options: ClerkOptions) => Promise<void>>> = { start, recover, approve }

const work = steps[step]
if (work === undefined) throw new Error(`No step "${step}". Known: ${Object.keys(steps).join(', ')}.`)
const store = sqliteStore(join(folder, 'runs.db'))
try {
  await work({ store, repository, folder })
} catch (error) {
  console.error(`failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  await store.close()
}

/** Process 1: begins the run, and is killed while both notes are inside their tool. */
async function start(options: ClerkOptions): Promise<void> {
  const run = clerk({ ...options, inTool: holdNotes }).start(prompt, { runId })
  await printEvents(run)
}

/** Stops the first note after its line is on disk, and the second note before. */
async function holdNotes(moment: 'before' | 'after', { callId }: { readonly callId: string }): Promise<void> {
  const isHeld = moment === (callId.endsWith('.first') ? 'after' : 'before')
  if (!isHeld) return
  const state = moment === 'after' ? 'its line is on disk, its result is not stored' : 'nothing is on disk yet'
  console.log(`inside note ${callId}: ${state}`)
  setInterval(() => {}, 60_000)
  await new Promise(() => {})
}

/** Process 2: loads the run, answers the interrupted notes from the journal, and stops before the write. */
async function recover(options: ClerkOptions): Promise<void> {
  const run = await clerk(options).load(runId)
  const { suspended } = await run.settled()
  const done = journalIn(options.folder).lines()
  for (const { callId, toolName, suspension } of suspended) {
    if (suspension?.reason !== 'interrupted') continue
    const line = done.find((candidate) => candidate.callId === callId)
    const answer = line === undefined ? 'not in the journal: run it again' : 'in the journal: take its result'
    console.log(`interrupted ${toolName} ${callId}: ${answer}`)
    if (line === undefined) await run.approve(callId, { by: 'journal policy' })
    else await run.respond(callId, noted(line.text), { by: 'journal policy' })
  }
  await printEvents(run)
  for (const { callId, toolName } of (await run.result()).suspended)
    console.log(`suspended ${toolName} ${callId}: waits for a person`)
}

/** Process 3: a person approves the write. */
async function approve(options: ClerkOptions): Promise<void> {
  const run = await clerk(options).load(runId)
  const { answer } = await run.approve(undefined, { by: 'you' })
  console.log(`approved: ${answer}`)
  await printEvents(run)
}
