import assert from 'node:assert/strict'
import type { LogEntry } from '../../core/domain/log.ts'
import type { Store } from '../../core/ports/store.ts'
import { goOn } from './store-suite-chain-runs.ts'
import { checkpoint, type Driver, says, type StoreCase } from './store-suite-fixtures.ts'

const seeds = 25
const stepsEach = 50

/** Cases of random chains by a seed: runs continue each other, end and are deleted, and read the expected log. */
export const randomChainCases: readonly StoreCase[] = [
  [
    'gives each run what it goes on from and what it wrote, whatever other runs write and lose',
    async ({ store }) => {
      for (let seed = 1; seed <= seeds; seed++) await new RandomRuns(store, seed).play()
    },
  ],
]

interface KnownRun {
  readonly id: string
  readonly driver: Driver
  /** The entries of other runs that the run reads. */
  readonly inherited: readonly LogEntry[]
  own: readonly LogEntry[]
  /** The number of the run's last entry, including checkpoints. */
  last: number
  isDone: boolean
}

class RandomRuns {
  readonly #store: Store
  readonly #runs = new Map<string, KnownRun>()
  readonly #seed: number
  #state: number
  #created = 0

  constructor(store: Store, seed: number) {
    this.#store = store
    this.#seed = seed
    this.#state = seed * 7919
  }

  async play(): Promise<void> {
    for (let step = 0; step < stepsEach; step++) {
      const run = this.#anyRun()
      const what = this.#below(10)
      if (run === undefined || what < 4) await this.#create(run)
      else if (what < 8) await this.#write(run)
      else await this.#delete(run)
      await this.#compare(`seed ${this.#seed}, step ${step}`)
    }
    for (const run of this.#runs.values()) await this.#delete(run)
    assert.deepEqual(await this.#store.list(), [])
  }

  async #create(before: KnownRun | undefined): Promise<void> {
    const id = `run-${this.#below(4) === 0 ? this.#below(this.#created + 1) : this.#created++}`
    if (this.#runs.has(id)) return
    if (before === undefined || this.#below(4) === 0)
      return this.#keep(id, await goOn(this.#store, id, undefined), [], 0)
    const seq = this.#below(2) === 0 ? undefined : this.#below(before.last + 1)
    const forked = this.#below(3) === 0 ? { forkedFrom: { runId: before.id, version: 1 } } : {}
    const continues = { runId: before.id, ...(seq === undefined ? {} : { seq }) }
    const driver = await goOn(this.#store, id, continues, forked)
    const last = seq ?? before.last
    const inherited = [...before.inherited, ...before.own].filter((entry) => entry.seq <= last)
    this.#keep(id, driver, inherited, last)
  }

  #keep(id: string, driver: Driver, inherited: readonly LogEntry[], last: number): void {
    this.#runs.set(id, { id, driver, inherited, own: [], last, isDone: false })
  }

  async #write(run: KnownRun): Promise<void> {
    if (run.isDone) return
    run.isDone = this.#below(2) === 0
    const said = Array.from({ length: this.#below(4) }, (_, index) => says(`${run.id} says ${index}`))
    const entries = run.isDone || this.#below(2) === 0 ? [...said, checkpoint('{}')] : said
    await run.driver.commit({ entries, ...(run.isDone ? { status: 'done' } : {}) })
    run.own = [...run.own, ...said.map((entry, index) => entry(run.last + 1 + index))]
    run.last += entries.length
  }

  async #delete({ id, driver, own }: KnownRun): Promise<void> {
    await this.#store.release(driver.lease)
    const { readers } = await this.#store.delete(id)
    this.#runs.delete(id)
    const isRead = ({ inherited }: KnownRun) => inherited.some((entry) => own.includes(entry))
    const expected = [...this.#runs.values()].filter(isRead).map((run) => run.id)
    const missing = expected.filter((reader) => !readers.includes(reader))
    assert.deepEqual([missing, readers.length > 0], [[], expected.length > 0], `readers of ${id}, seed ${this.#seed}`)
  }

  async #compare(moment: string): Promise<void> {
    for (const { id, inherited, own } of this.#runs.values()) {
      const { log } = await this.#store.read(id)
      assert.deepEqual(log, [...inherited, ...own], `${id}, ${moment}`)
    }
  }

  #anyRun(): KnownRun | undefined {
    return [...this.#runs.values()][this.#below(Math.max(this.#runs.size, 1))]
  }

  /** Returns a random whole number from 0 to `most - 1`. */
  #below(most: number): number {
    this.#state = (Math.imul(this.#state, 1103515245) + 12345) >>> 0
    return (this.#state >>> 8) % most
  }
}
