import { StoreError } from '../../../core/domain/store-error.ts'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import { EntryRefused, type Journal } from '../replicated/journal.ts'
import { isBehind, isHead } from '../replicated/journal-shapes.ts'

/** The place of an object's journal. */
export interface JournalPlace {
  /** The addresses of the ingress, e.g. `http://127.0.0.1:8080`; if one does not answer, the next one is used. */
  readonly ingress: readonly string[]
  /** The name of the virtual object's definition. */
  readonly service: string
  /** The key of the object. */
  readonly object: string
  readonly headers: () => Readonly<Record<string, string>>
  readonly fetch: typeof fetch
}

/**
 * Half of what a server accepts as one message by default, because an entry is sent twice: as a request, and as new
 * state.
 */
const mostLength = 16_000_000
/** The milliseconds during which a request to a server that does not answer is repeated. */
const patienceMs = 15_000
/**
 * Milliseconds that the first answer may take, as a server that has just started may forget a request; each next one twice
 * that, up to the most. Each 1,000 characters of a request add one.
 */
const answerMs = 1500
const mostAnswerMs = 6000
const charactersEachMs = 1000

/**
 * Returns the journal in the state of a Restate object, which is read and written over the server's ingress. An entry
 * may be sent repeatedly: its expected hash admits it only once.
 */
export function restateJournal(place: JournalPlace): Journal {
  const { ingress } = place
  let asked = 0

  async function ask(
    handler: string,
    asks: object,
  ): Promise<{ readonly value: unknown; readonly isRepeated: boolean }> {
    const body = JSON.stringify(asks)
    const moreMs = Math.ceil(body.length / charactersEachMs)
    const giveUpAt = performance.now() + patienceMs + moreMs
    let isRepeated = false
    for (let [waitMs, limitMs] = [20, answerMs + moreMs]; ; waitMs = Math.min(waitMs * 2, 500)) {
      const at = ingress[asked % ingress.length] ?? ''
      const answer = await send({ ...place, at }, handler, { body, limitMs })
      if ('value' in answer) return { value: answer.value, isRepeated }
      const { problem, isFinal = false, isLate = false } = answer
      const text = textOf({ ...place, at }, problem)
      if (isFinal && !isRepeated) throw new EntryRefused('store_unavailable', text)
      if (isFinal || performance.now() >= giveUpAt) throw new StoreError('store_unavailable', text)
      if (isLate) limitMs = Math.min(limitMs * 2, mostAnswerMs + moreMs)
      isRepeated = true
      asked++
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }

  function checked<Value>(fits: (value: unknown) => value is Value, answer: unknown): Value {
    if (fits(answer)) return answer
    const at = ingress[asked % ingress.length] ?? ''
    throw new StoreError('store_unavailable', textOf({ ...place, at }, 'answered without a journal'))
  }

  return {
    mostLength,
    read: async (known) => checked(isBehind, (await ask('read', known)).value),
    async append(entry) {
      const { value, isRepeated } = await ask('append', entry)
      return { head: checked(isHead, value), isRepeated }
    },
  }
}

/** A place, and the one of its addresses that is asked. */
interface Asked extends JournalPlace {
  readonly at: string
}

type Answer =
  | { readonly value: unknown }
  | { readonly problem: string; readonly isFinal?: boolean; readonly isLate?: boolean }

async function send(
  place: Asked,
  handler: string,
  { body, limitMs }: { readonly body: string; readonly limitMs: number },
): Promise<Answer> {
  const { at, service, object } = place
  try {
    const response = await place.fetch(`${at}/${service}/${object}/${handler}`, {
      method: 'POST',
      headers: { ...place.headers(), 'content-type': 'application/json' },
      body,
      // Only the given addresses are used.
      redirect: 'manual',
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

function textOf({ at, service, object }: Asked, problem: string): string {
  const wish = `Is the server up, and is "${service}" deployed there? What was stored stays.`
  return `The ingress ${at} ${problem} (object "${object}"). ${wish}`
}
