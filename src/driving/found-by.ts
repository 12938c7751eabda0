import { isRecord, type Json } from '../domain/json.ts'
import { promptLineIn } from '../domain/prompt-line.ts'
import { textsIn } from '../domain/run-origin.ts'
import type { NewRun } from '../ports/store.ts'

/** What a run is found by, read of the input it is stored with; its subject is its own id where none was given. */
export function foundBy(runId: string, input: Json): Pick<NewRun, 'subject' | 'labels' | 'prompt'> {
  const { subject, labels } = isRecord(input) ? input : {}
  const prompt = promptLineIn(input)
  return {
    subject: typeof subject === 'string' ? subject : runId,
    ...(labels === undefined ? {} : { labels: textsIn(labels) }),
    ...(prompt === undefined ? {} : { prompt }),
  }
}
