import type { RunView } from '../../src/core/domain/run-view.ts'

/** The token that the objects of the proof ask for. */
export const token = 'proof'

/** The parts of a run that a client reads. */
export type ReadRun = Pick<RunView, 'status' | 'suspended' | 'messages'> & {
  readonly outcome?: { readonly reason?: string }
}

/** The answer of an object to a request that it refused. */
interface Refusal {
  readonly code: string
}

/** Asks an object as a client does; undefined if nobody answers, or its store does not. Throws for an answer that is a refusal. */
export async function askObject(url: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const sent = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
  const answer = await fetch(`${url}${path}`, sent)
    .then(async (response) => [response.ok, await response.text()] as const)
    .catch(() => undefined)
  // The platform answers with an error of its own, which is not JSON, for an object that was just cut off.
  if (answer === undefined || !answer[1].startsWith('{')) return undefined
  const [isOk, text] = answer
  const isAway = !isOk && (JSON.parse(text) as Refusal).code === 'store_unavailable'
  if (isAway) return undefined
  if (!isOk) throw new Error(`${path}: ${text}`, { cause: JSON.parse(text) })
  return JSON.parse(text) as unknown
}

/** Reads a run of an object, by default that of the same name; undefined if nobody answers. */
export async function readRun(url: string, id: string, object = id): Promise<ReadRun | 'unknown' | undefined> {
  try {
    const found = await askObject(url, `/${object}/runs/${id}`)
    return found === undefined ? undefined : (found as ReadRun)
  } catch (error) {
    if (error instanceof Error && (error.cause as Refusal).code === 'run_unknown') return 'unknown'
    throw error
  }
}
