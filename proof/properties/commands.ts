import {
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record as recordOf,
  type Arbitrary,
} from 'fast-check'
import { type Tone, textIn, tones } from './spoken.ts'

/** The end of a held tool's execution. */
export type PlayedOutcome = 'done' | 'warning' | 'error' | 'throw' | 'suspend' | 'pending'

/** Which call a command means: one that waits, any, one not made yet, a suspension of the past, nothing. */
export type Aim = 'suspended' | 'any' | 'future' | 'past' | 'nothing'

/** The answers; the last five are wrong or come in pairs. */
export type Verb =
  | 'approve'
  | 'deny'
  | 'respond'
  | 'edit'
  | 'pass'
  | 'misfit'
  | 'misshapen'
  | 'again'
  | 'contrary'
  | 'twice'

/** One step of a sequence, as data. */
export type Command =
  | { readonly do: 'finish'; readonly nth: number; readonly outcome: PlayedOutcome }
  | { readonly do: 'reply' }
  | {
      readonly do: 'decide'
      readonly verb: Verb
      readonly aim: Aim
      readonly nth: number
      readonly by: 'call' | 'suspension' | 'provider'
      readonly isNamed: boolean
    }
  | { readonly do: 'cancelCall'; readonly nth: number; readonly aim: Aim }
  | { readonly do: 'cancel' }
  | { readonly do: 'say'; readonly kind: 'steer' | 'followUp' | 'extension'; readonly tone: Tone }
  /** A run under way refuses it; then the run is brought to its end and gone on from. A process may die over it. */
  | { readonly do: 'prompt'; readonly tone: Tone; readonly dies: 'never' | 'before' | 'after' }
  | { readonly do: 'advance'; readonly ms: number }
  /** The process dies now (`writes` 0) or around its n-th write from now; another goes on at once. */
  | {
      readonly do: 'crash'
      readonly writes: number
      readonly side: 'before' | 'after'
      readonly lease: 'released' | 'expired'
    }
  /** The process stops driving; nobody goes on before `drive`. */
  | { readonly do: 'leave' }
  | { readonly do: 'drive' }

const decide = recordOf({
  do: constant('decide' as const),
  verb: oneof(
    { weight: 8, arbitrary: constantFrom<Verb[]>('approve', 'deny', 'respond', 'edit') },
    { weight: 4, arbitrary: constantFrom<Verb[]>('pass', 'misfit', 'misshapen', 'again', 'contrary', 'twice') },
  ),
  aim: oneof(
    { weight: 8, arbitrary: constant('suspended' as const) },
    { weight: 4, arbitrary: constant('any' as const) },
    { weight: 2, arbitrary: constantFrom('future' as const, 'past' as const, 'nothing' as const) },
  ),
  nth: nat(3),
  by: constantFrom('call', 'call', 'suspension', 'provider'),
  isNamed: oneof({ weight: 9, arbitrary: constant(false) }, { weight: 1, arbitrary: boolean() }),
})

const command: Arbitrary<Command> = oneof(
  {
    weight: 8,
    arbitrary: recordOf({
      do: constant('finish' as const),
      nth: nat(2),
      outcome: constantFrom<PlayedOutcome[]>('done', 'done', 'done', 'warning', 'error', 'throw', 'suspend', 'pending'),
    }),
  },
  { weight: 4, arbitrary: constant({ do: 'reply' as const }) },
  { weight: 9, arbitrary: decide },
  {
    weight: 2,
    arbitrary: recordOf({
      do: constant('cancelCall' as const),
      nth: nat(3),
      aim: constantFrom<Aim[]>('suspended', 'any', 'any', 'nothing'),
    }),
  },
  { weight: 1, arbitrary: constant({ do: 'cancel' as const }) },
  {
    weight: 5,
    arbitrary: recordOf({
      do: constant('say' as const),
      kind: constantFrom(
        'steer' as const,
        'steer' as const,
        'followUp' as const,
        'followUp' as const,
        'extension' as const,
      ),
      tone: tones,
    }),
  },
  {
    weight: 1,
    arbitrary: recordOf({
      do: constant('prompt' as const),
      tone: oneof({ weight: 3, arbitrary: constant<Tone>('plain') }, { weight: 1, arbitrary: tones }),
      dies: constantFrom('never' as const, 'never' as const, 'before' as const, 'after' as const),
    }),
  },
  { weight: 2, arbitrary: recordOf({ do: constant('advance' as const), ms: constantFrom(500, 1500, 2500, 6000) }) },
  {
    weight: 5,
    arbitrary: recordOf({
      do: constant('crash' as const),
      writes: integer({ min: 0, max: 4 }),
      side: constantFrom('before' as const, 'after' as const),
      lease: constantFrom('released' as const, 'expired' as const),
    }),
  },
  { weight: 1, arbitrary: constant({ do: 'leave' as const }) },
  { weight: 5, arbitrary: constant({ do: 'drive' as const }) },
)

/** Sequences of commands, each of which prints as one line. */
export const commandLists: Arbitrary<readonly Command[]> = array(
  command.map((one) => ({ ...one, toString: () => describeCommand(one) })),
  { maxLength: 16, size: 'max' },
)

/** The command as one line. */
export function describeCommand(one: Command): string {
  switch (one.do) {
    case 'finish':
      return `finish #${one.nth} ${one.outcome}`
    case 'decide':
      return `${one.verb}${one.isNamed ? ' as "same"' : ''} ${one.aim} #${one.nth} by ${one.by} id`
    case 'cancelCall':
      return `cancelCall ${one.aim} #${one.nth}`
    case 'advance':
      return `advance ${one.ms} ms`
    case 'crash': {
      const when = one.writes === 0 ? 'now' : `${one.side} write ${one.writes}`
      return `crash ${when}, lease ${one.lease}`
    }
    case 'say':
      return textIn(one.tone, one.kind)
    case 'prompt':
      return `${textIn(one.tone, 'prompt')}${one.dies === 'never' ? '' : `, crash ${one.dies} it is stored`}`
    case 'reply':
    case 'cancel':
    case 'leave':
    case 'drive':
      return one.do
  }
}
