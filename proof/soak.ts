import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { familyKinds } from '../src/core/domain/family-link.ts'
import type { Store } from '../src/core/ports/store.ts'
import { judgeFamily, membersOf } from './support/judge-family.ts'
import { type Judgement, judgeRun } from './support/judge-run.ts'
import { parseFlags } from './support/parse-flags.ts'
import { showProgress } from './support/progress.ts'
import { randomFrom } from './support/random.ts'
import { newPlace, openStore } from './support/store-place.ts'
import { FencedJournal } from './soak/fenced-journal.ts'
import { Processes } from './soak/processes.ts'
import { soakAgents } from './soak/soak-agents.ts'
import { SoakDeeds } from './soak/soak-service.ts'
import { takeAnswers } from './soak/take-answers.ts'
import { listOutgoing } from '../src/core/driving/list-outgoing.ts'

const defaults = { kills: 300, stops: 300, families: 0, workers: 3, seed: Date.now() % 2 ** 31, seconds: 900 }
const flags = parseFlags('soak', defaults, [], ['store', 'plant'])
const start = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'soak-'))
const place = await newPlace(flags.store ?? 'SQLite', folder)
const store = openStore(place.address)
console.log(
  `seed ${flags.seed}: ${flags.kills} kills and ${flags.stops} stops of ${flags.workers} workers and a broker with its service`,
)
try {
  process.exitCode = (await soak()) ? 0 : 1
} catch (error) {
  console.error(`\nThe soak failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  await store.close()
  await place.close()
  rmSync(folder, { recursive: true, force: true })
}

async function soak(): Promise<boolean> {
  const [agent] = soakAgents({ store, journal: new FencedJournal(folder), random: randomFrom(flags.seed) })
  if (agent === undefined) throw new Error('There are no agents.')
  const server = await takeAnswers(folder, agent)
  try {
    return await soakFor()
  } finally {
    server.closeAllConnections()
    server.close()
    await agent.close()
  }
}

async function soakFor(): Promise<boolean> {
  const given = [place.address, ...(flags.plant === undefined ? [] : [flags.plant])]
  const processes = new Processes(folder, given, randomFrom(flags.seed), flags)
  const programs = [...Array.from({ length: flags.workers }, () => 'worker.ts'), 'service.ts']
  processes.warmUp()
  const kept = Promise.all(programs.map((program) => processes.keep(program)))
  await until(async () => processes.isEnough && (await begunFamilies()) >= flags.families, processes)
  writeFileSync(join(folder, 'closing'), '')
  await until(async () => (await openRuns(store)).length === 0 && (await unsent()) === 0, processes)
  processes.stop()
  await kept
  return report(processes)
}

/** Waits for something to hold; throws where a process fails or time is up. */
async function until(holds: () => boolean | Promise<boolean>, processes: Processes): Promise<void> {
  while (!(await holds())) {
    if (processes.failure !== undefined) throw new Error(processes.failure)
    if (seconds() > flags.seconds) {
      processes.stop()
      throw new Error(
        `${flags.seconds} seconds are over after ${processes.kills} kills and ${processes.stops} stops. Open: ${(await openRuns(store)).join(', ')}.`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
    showProgress(`${processes.kills} kills, ${processes.stops} stops, ${seconds()} s`)
  }
}

async function openRuns(from: Store): Promise<readonly string[]> {
  const lists = await Promise.all([from.list({ status: 'running' }), from.list({ status: 'waiting' })])
  return lists.flat().map((run) => ('damaged' in run ? `${run.id} (damaged)` : `${run.id} (${run.status})`))
}

/** Families that have begun. */
async function begunFamilies(): Promise<number> {
  return (await store.list({ agent: 'head', limit: Math.max(flags.families, 1) })).length
}

/** Events that have not arrived yet. */
async function unsent(): Promise<number> {
  const lists = await Promise.all([listOutgoing(store, { state: 'pending' }), listOutgoing(store, { state: 'aside' })])
  // A message to a family says nothing where all of its runs are done.
  return lists.flat().filter(({ kind }) => !familyKinds.includes(kind)).length
}

async function report({ kills, brokerKills, stops, isEnough }: Processes): Promise<boolean> {
  const journal = new FencedJournal(folder)
  const deeds = new SoakDeeds(folder)
  const paid = deeds.byRun()
  const outside = { linesOf: (id: string) => [...journal.linesOf(id), ...(paid.get(id) ?? [])] }
  const records = await store.list({ limit: 1_000_000 })
  const judged: Judgement[] = []
  let families = 0
  for (const record of records) {
    if ('damaged' in record) throw new Error(`Run ${record.id} is damaged.`)
    const { id, agent } = record
    if (agent === 'head') {
      families++
      const paymentsOf = (member: string) => journal.linesOf(member).filter(({ toolName }) => toolName === 'pay').length
      judged.push(await judgeFamily(store, { members: await membersOf(store, id), paymentsOf }))
    } else if (!id.includes('.') || agent.endsWith('/payer')) judged.push(await judgeRun(store, outside, id))
  }
  const lost = judged.flatMap((run) => run.lost)
  const doubled = judged.flatMap((run) => run.doubled)
  const late = records.flatMap(({ id }) => journal.lateOf(id))
  const decisions = await Promise.all(records.map(({ id }) => store.inbox(id, { kinds: ['decision'] })))
  const interrupted = decisions.flat().filter(({ item }) => item.kind === 'decision' && item.decision.by === 'policy')
  for (const sentence of [...lost, ...doubled].slice(0, 20)) console.log(sentence)
  const refused = {
    begun: late.filter(({ kind }) => kind === 'began').length,
    acts: late.filter(({ kind }) => kind === 'acted').length,
  }
  const found = { lost: lost.length, doubled: doubled.length, refused }
  const events = { sent: [...paid.values()].flat().length, heard: deeds.heard }
  const runs = records.length
  const faults = kills + stops
  const figures = { faults, kills, brokerKills, stops, events, runs, families, ...found, seed: flags.seed }
  console.log(
    `\r${kills} kills, ${brokerKills} of them of the broker, ${stops} stops, ${events.sent} events that came ${events.heard} times, ${runs} runs, ${families} of them heads of families, ${decisions.flat().length} decisions, ` +
      `${interrupted.length} of them for interrupted calls: ${lost.length} lost, ${doubled.length} doubled; ${refused.begun} begun ` +
      `and ${refused.acts} acts refused by their fence (${seconds()} s)`,
  )
  if (flags.json) console.log(JSON.stringify({ ...figures, interrupted: interrupted.length, seconds: seconds() }))
  return lost.length + doubled.length === 0 && isEnough
}

function seconds(): number {
  return Math.round((performance.now() - start) / 100) / 10
}
