import { type ComponentChild, h } from 'preact'
import { post } from './client.ts'
import { Composer } from './composer.ts'
import { runAddress } from './route.ts'
import type { KnownRun } from './run-model.ts'

interface TalkProps {
  readonly runId: string
  readonly known: KnownRun
  onSaid(text: string): void
}

/** Sends a message to a run: for its next turn, or to continue it after its end, in its session if it has one. */
export function Talk({ runId, known: { summary, shown }, onSaid }: TalkProps): ComponentChild {
  const { session, agent = '' } = summary?.record ?? {}
  if (agent.includes('/') || shown === undefined || shown.status === 'waiting') return null
  const path = `runs/${encodeURIComponent(runId)}`
  if (shown.status !== 'done') {
    const steer = async (prompt: unknown) => {
      await post(`${path}/steer`, { prompt })
      onSaid('The model reads your message before its next turn.')
    }
    return h(Composer, { key: 'steer', label: 'A message for the next turn', submit: 'Send', onSend: steer })
  }
  const goOn = async (prompt: unknown) => {
    const next = session === undefined ? `${path}/prompt` : `runs?${new URLSearchParams({ agent, session })}`
    const { runId: begun } = await post<{ runId: string }>(next, { prompt })
    location.hash = runAddress(begun)
  }
  return h(Composer, {
    key: 'prompt',
    label: session === undefined ? 'Continue from here' : 'Continue at the end of this conversation',
    submit: 'Send',
    onSend: goOn,
  })
}
