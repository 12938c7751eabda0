import { BareStore, type Synchronous } from './bare-store.ts'
import { assistantMessage, promptMessage, resultMessage } from './texts.ts'
import { timeKindOf, timeOf } from './stopwatch.ts'

/** A conversation that is left before a call and taken up again. */
export interface BareResume {
  /** Messages up to and with the answer that makes the call. */
  readonly messages: number
  readonly path: string
  readonly synchronous: Synchronous
}

/** Microseconds to keep the last answer, open the store again, read the messages back, and append what comes of them. */
export async function bareResume({ messages, path, synchronous }: BareResume): Promise<number> {
  const first = new BareStore(path, synchronous)
  for (let seq = 1; seq < messages; seq++) first.append('run', seq, historyMessage(seq))
  let second: BareStore | undefined
  const time = await timeOf(timeKindOf(synchronous), async () => {
    first.append('run', messages, assistantMessage(messages, 1))
    const store = new BareStore(path, synchronous)
    second = store
    const history = store.read('run')
    if (history.length !== messages) throw new Error(`${history.length} messages came back; expected ${messages}.`)
    store.append('run', messages + 1, await Promise.resolve(resultMessage(messages, 0)))
    store.append('run', messages + 2, await Promise.resolve(assistantMessage(messages + 2, 0)))
  })
  first.close()
  second?.close()
  return time
}

function historyMessage(seq: number): object {
  if (seq === 1) return promptMessage()
  return seq % 2 === 0 ? assistantMessage(seq, 1) : resultMessage(seq - 1, 0)
}
