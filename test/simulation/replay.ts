import { readdirSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

/** Plays a seed of the faulty payer in a thread that has loaded the files of the simulation from the last to the first. */
const folder = new URL('../../src/testing/simulation/', import.meta.url)
for (const name of readdirSync(folder).toSorted().toReversed()) await import(new URL(name, folder).href)
const { paysOnce, payer } = await import('./faulty-payer.ts')
const { playWorld } = await import('../../src/testing/simulation/play-world.ts')
const { readSettings } = await import('../../src/testing/simulation/settings.ts')
const { seed, others } = workerData as { readonly seed: number; readonly others: readonly number[] }
const settings = readSettings(payer, paysOnce)
for (const other of others) await playWorld(settings, other)
parentPort?.postMessage(JSON.stringify(await playWorld(settings, seed)), [])
