import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import type { SettingPlan } from '../engines/engine-setting.ts'
import { type Journal, startJournal } from '../engines/journal.ts'
import { hasRestate, noRestate } from '../engines/restate-server.ts'
import { restateSetting } from '../engines/restate-setting.ts'
import { serveShops } from '../engines/serve-shops.ts'
import { hasWorkerd, noWorkerd } from '../engines/workerd.ts'
import { workerdSetting } from '../engines/workerd-setting.ts'
import type { HostUnderTest } from './host-suite.ts'

/** A host of the shop's agent. */
interface Host extends AsyncDisposable {
  url(): string
}

const hosts: Readonly<
  Record<string, { readonly open: (plan: SettingPlan) => Promise<Host>; readonly missing?: string }>
> = {
  local: { open: localHost },
  Restate: { open: restateSetting, ...(hasRestate ? {} : { missing: noRestate }) },
  'Durable Object': { open: workerdSetting, ...(hasWorkerd ? {} : { missing: noWorkerd }) },
}

/** Each host with a function that opens it; `missing` says why one cannot be had here. `closeHosts` closes them. */
export const hostSubjects = Object.entries(hosts).map(([name, { open, missing }]) => {
  let opened: Promise<HostUnderTest> | undefined
  return { name, missing, open: () => (opened ??= openHost(open)) }
})

const closes: (() => Promise<void>)[] = []

/** Ends the hosts that were opened. */
export async function closeHosts(): Promise<void> {
  for (const close of closes) await close()
}

async function openHost(open: (plan: SettingPlan) => Promise<Host>): Promise<HostUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'host-'))
  const journal = await startJournal(0)
  const host = await open({ folder, journal, plant: undefined })
  closes.push(async () => {
    await host[Symbol.asyncDispose]()
    await journal[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })
  return { url: host.url(), journal }
}

/** One process that keeps each object in a file of SQLite, and drives what it stores. */
async function localHost({ folder, journal }: { readonly folder: string; readonly journal: Journal }): Promise<Host> {
  const shops = await serveShops({
    storeOf: (object) => sqliteStore(join(folder, `${object}.db`), { synchronous: 'normal' }),
    drive: true,
    act: async (path) => (await fetch(`${journal.url}${path}`, { method: 'POST' })).text(),
  })
  return { url: () => shops.url, [Symbol.asyncDispose]: () => shops[Symbol.asyncDispose]() }
}
