import type { HoldRunInput, LoopAsk } from '../../machines/run/run.types.ts'
import type { Json } from '../../src/core/domain/text/json.ts'
import type { Write } from '../../src/core/domain/log.ts'
import type { Message } from '../../src/core/domain/message.ts'
import type { SaidHead } from '../../src/core/domain/payload.ts'
import type { RequestHead } from '../../src/core/domain/request-plan.ts'
import type { OpenEffect } from '../../src/testing/charts/exploration-types.ts'
import { textAt } from './said-texts.ts'

/** Contract texts of results and notes, by the word the scenarios have for them. */
const texts: Readonly<Record<string, string>> = {
  '[Tool execution was interrupted before producing a result.]': 'unfinished',
  '[Interrupted: the tool may or may not have run.]': 'interrupted',
  '[Not executed: an earlier call is waiting for a decision.]': 'skipped',
  '[Not executed: repeated call.]': 'repeated',
  'User denied the action': 'denied',
  'User cancelled the action': 'user cancelled',
  'Blocked.': 'blocked',
  'Outranked.': 'outranked',
  'Because.': 'because',
  '[Cancelled: no decision came before the request expired.]': 'expired',
  '[Run cancelled while the model was answering.]': 'answering',
  '[Run cancelled while tools were running.]': 'tools',
  '[Agent stopped: maximum number of turns reached]': 'turns',
  '[Agent stopped: maximum running time reached]': 'time',
  '[Agent stopped: repeated call]': 'loop',
  '[This call has been repeated 3 times with the same result.]': 'third time',
  'Skipped due to queued user message.': 'steered',
  '[The answer does not fit the expected output: No total.. Answer again.]': 'misfit',
  '[The answer was refused: Rude. Answer again.]': 'rude',
}

function wordFor(text: string): string {
  return texts[text] ?? text
}

/** The writes that a chart requests, in words. */
export function nameOfWrite(write: Write): string {
  switch (write.kind) {
    case 'append':
      return nameOfMessage(write.message)
    case 'input':
      return [write.from === 'row' ? 'input' : write.from === 'built' ? 'built' : 'kept', ...warnedOf(write)].join(' ')
    case 'said':
      return nameOfSaid(write.said)
    case 'refused':
      return `forgets ${textAt(write)}`
    case 'undelivered':
      return `undelivered: ${write.said.map(nameOfSaid).join(' ')}`
    case 'note':
      return `note ${wordFor(write.text)}`
    case 'failure':
      return `failure ${write.error.code}`
    case 'result':
      return `${write.callId} answers ${wordFor(write.text)}`
    case 'amend':
      return `${write.callId} noted ${wordFor(write.text)}`
    case 'suspension':
      return `${write.callId} asks ${write.suspension.id}`
    case 'keptDecision':
      return `kept for ${write.suspensionId}`
    case 'tellLateResult':
      return `${write.callId} late`
    case 'applyPatch':
      return `${write.callId} applied`
    case 'call':
      return `${write.callId} ${write.patch.status ?? (write.patch.placeholder === true ? 'placeholder' : '')}`
    case 'step':
      return `${write.callId} did ${write.step.name}`
    case 'reserve':
      return `${write.call.callId} reserved`
    case 'state':
      return 'state'
    case 'notice':
      return write.event.type
    case 'value':
      return nameOfValue(write.name, write.value)
  }
}

/** `input` for the prompt, else what is said; what the filters warn of comes behind it. */
function nameOfMessage(message: Message): string {
  if (message.role === 'extension') return `posted ${message.kind}`
  const [first = '', ...rest] = message.content.map((part) => (part.type === 'text' ? part.text : part.type))
  return [first === 'Go.' ? 'input' : `says ${first}`, ...rest].join(' ')
}

function nameOfSaid(said: SaidHead): string {
  return [`says ${textAt(said)}`, ...warnedOf(said)].join(' ')
}

function warnedOf({ warnings = [] }: { readonly warnings?: readonly string[] }): readonly string[] {
  return warnings.map((text) => `[Warning: ${text}]`)
}

function nameOfValue(name: string, value: Json): string {
  if (name === 'rejection') return `rejection by ${(value as { filter?: string }).filter ?? ''}`
  return `${name} kept`
}

/** An effect under way, in words; a rest without an expiry is none. */
export function nameOfEffect({ owner, src, input }: OpenEffect): string {
  const told = input as { readonly [key: string]: unknown }
  switch (src) {
    case 'callModel':
      return `model ${words([
        [`t${String(told['turn'])}`, true],
        ['final', told['isFinishing'] === true],
        ['corrects', told['isCorrecting'] === true],
        ['told', told['isSummarised'] === true],
        ['bare', told['refusal'] !== undefined],
        [`m${String(told['modelIndex'])}`, told['modelIndex'] !== 0],
        [`f${String(told['failures'])}`, told['failures'] !== 0],
        [`c${String(told['continuations'])}`, told['continuations'] !== 0],
        [`with ${String((told['request'] as RequestHead | undefined)?.model)}`, told['request'] !== undefined],
      ])}`
    case 'refreshCredentials':
      return words([
        [`refresh m${String(told['modelIndex'])}`, true],
        [`of ${String(told['model'])}`, told['model'] !== undefined],
      ])
    case 'compactPrompt':
      return words([
        [`compact t${String(told['turn'])} m${String(told['modelIndex'])}`, true],
        ['told', told['isSummarised'] === true],
        ['bare', told['refusal'] !== undefined],
        [`with ${String((told['request'] as RequestHead | undefined)?.model)}`, told['request'] !== undefined],
      ])
    case 'summarise':
      return words([
        [`summarise t${String(told['turn'])} m${String(told['modelIndex'])}`, true],
        ['refused', told['isRefused'] === true],
        ['bare', told['refusal'] !== undefined],
        [`with ${String((told['request'] as RequestHead | undefined)?.model)}`, told['request'] !== undefined],
      ])
    case 'runTool':
      return words([
        [`${owner} tool`, true],
        [`#${String(told['attempt'])}`, told['attempt'] !== 1],
        [`r${String(told['revision'])}`, told['revision'] !== 0],
        [`f${String(told['failures'])}`, told['failures'] !== 0],
        [`by ${String(told['decisionId'])}`, told['decisionId'] !== null],
      ])
    case 'gateReplay': {
      const { decisionId } = (told['decision'] ?? {}) as { decisionId?: string }
      return `${owner} replay by ${decisionId}`
    }
    case 'gateCall':
      return `${owner} gate`
    case 'reviewCall':
      return `${owner} review`
    case 'ask':
      return nameOfPhase(input as LoopAsk)
    case 'recall':
      return `recall ${told['input'] === 'row' ? 'input' : 'nothing'}`
    case 'filterInput':
    case 'buildContext': {
      const { kind, input: place, inboxId } = told as { kind?: string; input?: string; inboxId?: number }
      return words([
        [src === 'filterInput' ? 'filter' : 'build', true],
        [kind ?? '', kind !== undefined],
        [place === 'row' ? 'input' : `says ${textAt({ inboxId: inboxId ?? -1 })}`, true],
      ])
    }
    case 'holdRun':
      return `hold of ${(told as unknown as HoldRunInput).error.code}`
    case 'askManager':
      return told['answered'] === undefined
        ? `manager for ${JSON.stringify(told['requested'])}`
        : `manager hears ${JSON.stringify(told['answered'])}`
    case 'keepTime':
      return told['forMs'] === null ? '' : `${JSON.stringify(told['forMs'])} ms`
    default:
      return told['due'] === null ? '' : `${owner} until ${JSON.stringify(told['due'])}`
  }
}

function nameOfPhase({ phase, turn, isResumed = false, usage, error }: LoopAsk): string {
  return words([
    [`${phase} t${turn}`, true],
    ['again', isResumed],
    [`used ${usage?.totalTokens}`, usage !== undefined],
    [`of ${error?.code}`, error !== undefined],
  ])
}

function words(parts: readonly (readonly [string, boolean])[]): string {
  return parts.flatMap(([word, isGiven]) => (isGiven ? [word] : [])).join(' ')
}
