import { type ComponentChild, h } from 'preact'
import type { CheckpointInfo } from '../../ports.ts'
import type { RunSummary } from '../../servers/studio/show-run.ts'
import { timeText } from './format.ts'
import { button, onText } from './parts.ts'
import { runAddress } from './route.ts'

const words: Readonly<Record<CheckpointInfo['names'][number], string>> = {
  UserMessage: 'message read',
  AssistantTurnCommitted: 'the model answered',
  ToolResultsCommitted: 'tools finished',
  RunFinished: 'the run ended',
}

interface TimelineProps {
  readonly runId: string
  readonly summary: RunSummary
  readonly version: number | undefined
  readonly isBusy: boolean
  onFork(version: number): void
}

/** The checkpoints of a run, with controls to step through them and to begin a new run at one. */
export function Timeline({ runId, summary, version, isBusy, onFork }: TimelineProps): ComponentChild {
  const { checkpoints } = summary
  const place = version === undefined ? checkpoints.length - 1 : checkpoints.findIndex((one) => one.version === version)
  const chosen = checkpoints[place]
  const go = (index: number) => {
    const next = checkpoints[index]
    location.hash = runAddress(runId, index >= checkpoints.length - 1 ? undefined : next?.version)
  }
  if (checkpoints.length === 0 || chosen === undefined)
    return h('p', { class: 'note' }, 'The run has no checkpoint yet.')
  const isNow = version === undefined
  const isLast = place >= checkpoints.length - 1
  const isEnd = isLast && summary.record.status === 'done'
  const said = chosen.names.map((name) => (name === 'RunFinished' && !isEnd ? 'the run waits' : words[name])).join(', ')
  return h('div', { class: 'timeline' }, [
    h('div', { class: 'steps' }, [
      button('◀', () => go(place - 1), { class: 'quiet', disabled: place <= 0, 'aria-label': 'Step back' }),
      h('input', {
        type: 'range',
        min: 0,
        max: checkpoints.length - 1,
        value: place,
        'aria-label': 'Checkpoint',
        'aria-valuetext': `${place + 1} of ${checkpoints.length}: ${said}`,
        onInput: onText((text) => go(Number(text))),
      }),
      button('▶', () => go(place + 1), { class: 'quiet', disabled: isLast, 'aria-label': 'Step forward' }),
      !isNow && h('a', { class: 'button', href: runAddress(runId) }, 'Now'),
      button('Fork', () => onFork(chosen.version), { disabled: isBusy, title: 'Begin a new run from here' }),
    ]),
    h('p', { class: 'where', 'aria-live': 'polite' }, [
      h('b', null, isNow ? 'Now' : `At checkpoint ${chosen.version}`),
      ` · ${place + 1} of ${checkpoints.length} · ${said} · ${timeText(chosen.at)}`,
    ]),
  ])
}
