import { BareStore, type Synchronous } from './bare-store.ts'
import { assistantMessage, promptMessage, resultMessage, userText } from './texts.ts'
import { timeKindOf, timeOf } from './stopwatch.ts'

/** A conversation that is left before a call and taken up again. */
export interface BareResume {
  /** Messages up to and with the answer that makes the call. */
  readonly messages: number
  readonly path: string
  readonly synchronous: Synchronous
}

/** Microseconds to keep the last answer, open the store again, read the messages back, and append what comes of them. */
export async function bareResume({ path, synchronous, messages }: BareResume): Promise<number> {
  const first = new BareStore(path, synchronous)
  const opened = [first]
  const open = () => {
    const second = new BareStore(path, synchronous)
    opened.push(second)
    return second
  }
  const time = await bareResumeBetween(first, open, { run: 'run', messages, synchronous })
  for (const store of opened) store.close()
  return time
}

/** A resumption on stores that are open already. */
export interface BareResumeBetween extends Omit<BareResume, 'path'> {
  readonly run: string
  /** True counts the prompt too, whose messages are kept in one transaction. */
  readonly isWhole?: boolean
}

/** The same, on stores of two connections: the second is asked for once the run waits. */
export async function bareResumeBetween(
  first: BareStore,
  second: () => BareStore,
  { run, messages, synchronous, isWhole = false }: BareResumeBetween,
): Promise<number> {
  if (!isWhole) for (let seq = 1; seq < messages; seq++) first.append(run, seq, historyMessage(seq))
  return timeOf(timeKindOf(synchronous), async () => {
    if (isWhole)
      first.appendAll(
        run,
        Array.from({ length: messages - 1 }, () => promptMessage(userText)),
      )
    first.append(run, messages, assistantMessage(messages, 1))
    const store = second()
    const history = store.read(run)
    if (history.length !== messages) throw new Error(`${history.length} messages came back; expected ${messages}.`)
    store.append(run, messages + 1, await Promise.resolve(resultMessage(messages, 0)))
    store.append(run, messages + 2, await Promise.resolve(assistantMessage(messages + 2, 0)))
  })
}

function historyMessage(seq: number): object {
  if (seq === 1) return promptMessage()
  return seq % 2 === 0 ? assistantMessage(seq, 1) : resultMessage(seq - 1, 0)
}
