import type { Message } from '../../src/core/domain/message.ts'
import { StoreError } from '../../src/core/domain/store-error.ts'
import { messagesIn } from '../../src/core/domain/transcript-message.ts'
import type { Store, StoredRun } from '../../src/core/ports/store.ts'
import { CommitObserver } from './commit-observer.ts'
import { promptOf, type Spoken, type SpokenTo, type Tone } from './spoken.ts'

/** A run that is done, as it stood when another went on from it. */
export interface Original {
  readonly id: string
  readonly messages: readonly Message[]
  /** Everything stored of it. */
  readonly stored: unknown
}

/** One run of a sequence; the next one goes on from it. */
export class PlayedRun {
  readonly id: string
  /** From 1. */
  readonly number: number
  readonly prompt: Spoken
  readonly original: Original | undefined
  readonly observer = new CommitObserver()
  /** The messages of others to the run, in order. */
  readonly said: SpokenTo[] = []
  /** Processes that have driven it. */
  processes = 1
  /** A cancel was stored for it. */
  isCancelled = false

  constructor(number: number, tone: Tone, original?: Original) {
    this.id = `run-${number}`
    this.number = number
    this.prompt = promptOf(number, tone)
    this.original = original
  }

  /** Its transcript without that of the run it goes on from. */
  own(run: StoredRun): readonly Message[] {
    return messagesOf(run).slice(this.original?.messages.length ?? 0)
  }
}

/** The transcript of a run without the places. */
export function messagesOf({ log }: StoredRun): readonly Message[] {
  return messagesIn(log).map(({ place: _, ...message }) => message)
}

/** A run as it is stored now, for another to go on from. */
export async function originalOf(id: string, store: Store): Promise<Original> {
  return { id, messages: messagesOf(await store.read(id)), stored: await storedOf(id, store) }
}

/** Everything a store tells of a run. */
export function storedOf(id: string, store: Store): Promise<unknown> {
  return Promise.all([
    store.read(id),
    store.calls(id),
    store.checkpoints(id),
    store.inbox(id, { isOpen: true }),
    store.inbox(id, { kinds: ['decision'] }),
  ])
}

/** Whether a run of this id is stored. */
export async function isKnown(id: string, store: Store): Promise<boolean> {
  try {
    await store.record(id)
    return true
  } catch (error) {
    if (error instanceof StoreError && error.code === 'run_unknown') return false
    throw error
  }
}
