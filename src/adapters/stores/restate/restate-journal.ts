import { StoreError } from '../../../core/domain/store-error.ts'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import { EntryRefused, type Journal } from '../replicated/journal.ts'
import { isBehind, isHead } from '../replicated/journal-shapes.ts'

/** Where the journal of an object is. */
export interface JournalPlace {
  /** The address of the server's ingress, e.g. `http://127.0.0.1:8080`. */
  readonly ingress: string
  /** The name of the virtual object's definition. */
  readonly service: string
  /** The key of the object. */
  readonly object: string
  readonly headers: () => Readonly<Record<string, string>>
  readonly fetch: typeof fetch
}

/** Half of what a server takes as one message by default, as an entry is on its way twice: as a request, and as new state. */
const mostLength = 16_000_000
/** Milliseconds for which a server that does not answer is asked again. */
const patienceMs = 15_000
/** Milliseconds that the first answer may take, as a server that has just started may forget a request; each next one twice that. */
const answerMs = 3000

/**
 * The journal in the state of a Restate object, read and written over the server's ingress. An entry may be sent again: the
 * hash that it expects lets it in once.
 */
export function restateJournal(place: JournalPlace): Journal {
  return {
    mostLength,
    read: async (known) => checked(place, isBehind, (await ask(place, 'read', known)).value),
    async append(entry) {
      const { value, isRepeated } = await ask(place, 'append', entry)
      return { head: checked(place, isHead, value), isRepeated }
    },
  }
}

function checked<Value>(place: JournalPlace, fits: (value: unknown) => value is Value, answer: unknown): Value {
  if (fits(answer)) return answer
  throw unavailable(place, 'answered something else than a journal')
}

async function ask(
  place: JournalPlace,
  handler: string,
  body: object,
): Promise<{ readonly value: unknown; readonly isRepeated: boolean }> {
  const giveUpAt = performance.now() + patienceMs
  let isRepeated = false
  for (let [waitMs, limitMs] = [20, answerMs]; ; waitMs = Math.min(waitMs * 2, 500)) {
    const answer = await send(place, handler, { body, limitMs })
    if ('value' in answer) return { value: answer.value, isRepeated }
    if (answer.isFinal && !isRepeated) throw new EntryRefused('store_unavailable', textOf(place, answer.problem))
    if (answer.isFinal || performance.now() >= giveUpAt) throw unavailable(place, answer.problem)
    if (answer.isLate) limitMs *= 2
    isRepeated = true
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

type Answer =
  | { readonly value: unknown }
  | { readonly problem: string; readonly isFinal?: boolean; readonly isLate?: boolean }

async function send(
  place: JournalPlace,
  handler: string,
  { body, limitMs }: { readonly body: object; readonly limitMs: number },
): Promise<Answer> {
  const { ingress, service, object } = place
  try {
    const response = await place.fetch(`${ingress}/${service}/${object}/${handler}`, {
      method: 'POST',
      headers: { ...place.headers(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(limitMs),
    })
    const text = await response.text()
    if (response.ok) return { value: JSON.parse(text) as unknown }
    // The server may start, stop or be busy just now; any other refusal stays one.
    const isFinal = response.status < 500 && response.status !== 429
    return { problem: `answered ${response.status}: ${text.slice(0, 300)}`, isFinal }
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    return { problem: `did not answer: ${thrownText(error)}`, isLate }
  }
}

function unavailable(place: JournalPlace, problem: string): StoreError {
  return new StoreError('store_unavailable', textOf(place, problem))
}

function textOf({ ingress, service, object }: JournalPlace, problem: string): string {
  const wish = `Is the server up, and is "${service}" deployed there? What was stored stays.`
  return `The ingress ${ingress} ${problem} (object "${object}"). ${wish}`
}
