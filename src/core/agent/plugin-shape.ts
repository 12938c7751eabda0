import { type Phase, phaseNames } from '../../../machines/run/run.phases.ts'
import { isRecord } from '../domain/text/json.ts'
import {
  badOption,
  callback,
  checkOptions,
  filledText,
  listOf,
  number,
  optional,
  type OptionCheck,
  type OptionShape,
} from '../domain/text/option-shape.ts'
import type { Plugin } from '../ports/plugin.ts'

const phases = Object.fromEntries(phaseNames.map((phase) => [phase, optional(callback)])) as unknown as OptionShape<
  Pick<Plugin, Phase>
>

const plugin: OptionCheck = (value) => {
  const owner =
    isRecord(value) && typeof value['name'] === 'string' ? `plugin ${JSON.stringify(value['name'])}` : 'a plugin'
  checkOptions<Plugin>(owner, value, { name: filledText, ...phases, answerWindow: optional(characters) })
  const { onAnswer, answerWindow } = value as Plugin
  if (answerWindow === undefined || onAnswer !== undefined) return
  throw badOption(
    { owner, field: 'answerWindow' },
    answerWindow,
    'Expected it beside onAnswer, which sees the answer first.',
  )
}

const characters = number('a whole number of characters, from 1', (value) => Number.isInteger(value) && value >= 1)

/** Checks the plugins. Errors and conflicts name a plugin, so the names must be unique. */
export const plugins: OptionCheck = (value, option) => {
  listOf(plugin)(value, option)
  const names = (value as readonly Plugin[]).map(({ name }) => name)
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice === undefined) return
  throw badOption(
    option,
    value,
    `Two of its plugins are named ${JSON.stringify(twice)}. Expected a name of its own for each.`,
  )
}
