import { objectStore } from '../../../src/adapters/stores/durable-object/object-store.ts'
import type { ObjectStorage } from '../../../src/adapters/stores/durable-object/object-storage.ts'
import type { Owner } from '../../../src/core/domain/owner.ts'
import type { Commit, NewRun } from '../../../src/core/ports/store.ts'

/** A write that an object is asked for: one of our store, or a bare one of the same text. */
export type AskedWrite =
  | { readonly create: NewRun; readonly owner: Owner }
  | { readonly commit: Commit }
  | { readonly bare: string }

/** An object that does one write a request. */
export class Runs {
  readonly #storage: ObjectStorage
  readonly #store: ReturnType<typeof objectStore>

  constructor({ storage }: { readonly storage: ObjectStorage }) {
    this.#storage = storage
    this.#store = objectStore(storage)
  }

  async fetch(request: Request): Promise<Response> {
    const asked = (await request.json()) as AskedWrite
    if ('create' in asked) await this.#store.create(asked.create, asked.owner, 600_000)
    else if ('commit' in asked) await this.#store.commit(asked.commit)
    else this.#keepBare(asked.bare)
    return new Response()
  }

  /** Reads one key, writes a text, and sets the alarm, which is how an object is sent a message. */
  #keepBare(text: string): void {
    const { sql } = this.#storage
    this.#storage.transactionSync(() => {
      sql.exec('CREATE TABLE IF NOT EXISTS steps (n INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT')
      const [row] = sql.exec('SELECT max(n) AS n FROM steps').toArray()
      sql.exec('INSERT INTO steps (n, body) VALUES (?, ?)', Number(row?.['n'] ?? 0) + 1, text)
    })
    void this.#storage.setAlarm(Date.now() + 3_600_000)
  }

  /** An alarm finds nothing to do. */
  async alarm(): Promise<void> {
    await this.#storage.deleteAlarm()
  }
}

interface Env {
  readonly RUNS: { getByName(name: string): { fetch(request: Request): Promise<Response> } }
}

/** Sends each request to its object. */
export const worker = {
  fetch: (request: Request, { RUNS }: Env) => RUNS.getByName(new URL(request.url).pathname).fetch(request),
}
